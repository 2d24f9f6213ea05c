package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.client.QueueLockRequest;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.send.SendBackHeader;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages that come back (36) and sends to a retry topic: when they come again, and when they are dead letters. */
class BrokerRetryTest {
    private static final String RETRIES = "%RETRY%g";
    private static final String DEAD = "%DLQ%g";
    private static final long SECOND_MS = 1_000;

    private final SteppedBroker.TurnedClock clock = new SteppedBroker.TurnedClock();
    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private final MemoryViewStores stores = new MemoryViewStores();
    private SteppedBroker broker;
    private long seed = 1;

    @BeforeEach
    void open() throws Exception {
        start();
        broker.run(broker.createTopic("T", 4));
        broker.run(broker.heartbeat("c"));
    }

    private void start() throws Exception {
        broker = new SteppedBroker(disk, stores, clock, seed++);
    }

    private long sent(String body) throws Exception {
        Answer<SendMessageResponse> answer = broker.run(broker.send(body));
        assertThat(answer.code()).isZero();
        return MessageId.parse(TestBroker.messageId(answer)).physicalOffset();
    }

    private Answer<NoHeader> back(
            long offset, int delayLevel, @Nullable Integer maxReconsumeTimes, @Nullable Integer reconsumeTimes)
            throws Exception {
        SendBackHeader header =
                new SendBackHeader(offset, "g", delayLevel, null, "T", false, maxReconsumeTimes, reconsumeTimes);
        return broker.run(broker.call(broker.client, Rpcs.CONSUMER_SEND_MSG_BACK, header, null));
    }

    private List<MessageExt> messages(String topic) throws Exception {
        List<MessageExt> all = new ArrayList<>();
        Answer<?> answer = broker.run(
                broker.call(broker.client, Rpcs.PULL_MESSAGE, TestBroker.pullHeader("g", topic, 0, 0, 0), null));
        if (answer.code() == ResponseCode.SUCCESS) {
            all.addAll(TestBroker.messages(answer));
        }
        return all;
    }

    private void pass(long ms) {
        clock.nowMs += ms;
        broker.settle();
    }

    @Test
    void aMessageThatCameBackComesAgainAfterItsDelayAndNotEarlier() throws Exception {
        long offset = sent("order");
        assertThat(back(offset, 1, null, null).code()).isZero();
        pass(SECOND_MS - 1);
        assertThat(messages(RETRIES)).isEmpty();
        pass(1);
        List<MessageExt> retries = messages(RETRIES);
        assertThat(retries).hasSize(1);
        MessageExt retry = retries.get(0);
        assertThat(retry.bodyText()).isEqualTo("order");
        assertThat(retry.reconsumeTimes()).isEqualTo(1);
        assertThat(retry.properties())
                .containsEntry("RETRY_TOPIC", "T")
                .containsKey("ORIGIN_MESSAGE_ID")
                .containsEntry("WAIT", "false")
                .doesNotContainKeys("DELAY", "REAL_TOPIC", "REAL_QID");
        assertThat(retry.bornTimestampMs()).isEqualTo(1_760_000_000_000L);
    }

    /** What a message that has come back {@code retries} times before waits for by default. */
    @ParameterizedTest
    @CsvSource({
        "0, 10", "1, 30", "2, 60", "3, 120", "4, 180", "5, 240", "6, 300", "7, 360",
        "8, 420", "9, 480", "10, 540", "11, 600", "12, 1200", "13, 1800", "14, 3600", "15, 7200"
    })
    void everyRungOfTheLadderHasItsDelay(int retries, long delaySec) throws Exception {
        assertThat(toRetryTopic("RETRY_TOPIC=T;", retries, 16).code()).isZero();
        MessageExt failed = messages(RETRIES).get(0);
        assertThat(back(failed.physicalOffset(), 0, null, null).code()).isZero();
        pass(delaySec * SECOND_MS - 1);
        assertThat(messages(RETRIES)).extracting(MessageExt::reconsumeTimes).containsExactly(retries);
        pass(1);
        assertThat(messages(RETRIES)).extracting(MessageExt::reconsumeTimes).containsExactly(retries, retries + 1);
        assertThat(messages(DEAD)).isEmpty();
    }

    @Test
    void levelZeroClimbsTheLadderFromTenSeconds() throws Exception {
        long offset = sent("order");
        assertThat(back(offset, 0, null, null).code()).isZero();
        pass(10 * SECOND_MS - 1);
        assertThat(messages(RETRIES)).isEmpty();
        pass(1);
        MessageExt first = messages(RETRIES).get(0);
        assertThat(back(first.physicalOffset(), 0, null, null).code()).isZero();
        pass(30 * SECOND_MS - 1);
        assertThat(messages(RETRIES)).hasSize(1);
        pass(1);
        List<MessageExt> both = messages(RETRIES);
        assertThat(both).hasSize(2);
        MessageExt second = both.get(1);
        assertThat(second.reconsumeTimes()).isEqualTo(2);
        assertThat(second.properties())
                .containsEntry("RETRY_TOPIC", "T")
                .containsEntry("ORIGIN_MESSAGE_ID", first.properties().get("ORIGIN_MESSAGE_ID"));
    }

    @Test
    void aMessageRetriedAsOftenAsAllowedIsADeadLetterThatSaysWhereItCameFrom() throws Exception {
        long offset = sent("order");
        String id = idOf(offset);
        back(offset, 1, 1, null);
        pass(SECOND_MS);
        MessageExt retry = messages(RETRIES).get(0);
        assertThat(back(retry.physicalOffset(), 1, 1, null).code()).isZero();
        pass(60 * SECOND_MS);
        assertThat(messages(RETRIES)).hasSize(1);
        MessageExt dead = messages(DEAD).get(0);
        assertThat(dead.bodyText()).isEqualTo("order");
        assertThat(dead.reconsumeTimes()).isEqualTo(2);
        assertThat(dead.properties())
                .containsEntry("RETRY_TOPIC", "T")
                .containsEntry("ORIGIN_MESSAGE_ID", id)
                .containsEntry("DLQ_ORIGIN_TOPIC", "T")
                .containsEntry("DLQ_ORIGIN_MESSAGE_ID", id)
                .containsEntry("DLQ_ORIGIN_QUEUE_ID", "0")
                .containsEntry("DLQ_ORIGIN_OFFSET", "0")
                .containsEntry("DLQ_REASON", "retries 1 of 1")
                .doesNotContainKeys("DELAY", "REAL_TOPIC", "REAL_QID", "__TIMER#");
    }

    private String idOf(long offset) throws Exception {
        return messages("T").stream()
                .filter(message -> message.physicalOffset() == offset)
                .map(MessageExt::offsetMessageId)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aNegativeLevelIsADeadLetterAtOnceAndKeepsTheCountItIsTold() throws Exception {
        long offset = sent("order");
        assertThat(back(offset, -1, null, 1).code()).isZero();
        MessageExt dead = messages(DEAD).get(0);
        assertThat(dead.reconsumeTimes()).isEqualTo(1);
        assertThat(dead.properties()).containsEntry("DLQ_REASON", "delayLevel -1 of the consumer");
        pass(60 * SECOND_MS);
        assertThat(messages(RETRIES)).isEmpty();
    }

    @Test
    void theGroupsLimitCountsWhereTheConsumerNamesNone() throws Exception {
        broker.putGroup(group(1, 0));
        back(sent("order"), 0, null, null);
        assertThat(messages(DEAD)).hasSize(1);
        broker.putGroup(group(1, -1));
        back(sent("later"), 0, null, 15);
        assertThat(messages(DEAD)).hasSize(1);
        back(sent("last"), 0, null, 16);
        assertThat(messages(DEAD)).hasSize(2);
    }

    @Test
    void aGroupWithoutRetryQueuesIsAnsweredAndNothingIsStored() throws Exception {
        broker.putGroup(group(0, 16));
        long end = broker.broker.logEndOffset();
        assertThat(back(sent("order"), -1, null, null).code()).isZero();
        pass(60 * SECOND_MS);
        assertThat(messages(RETRIES)).isEmpty();
        assertThat(end).isPositive();
    }

    private static SubscriptionGroupConfig group(int retryQueues, int retries) {
        return new SubscriptionGroupConfig(
                "g", true, true, true, false, retryQueues, retries, null, 0, 1, true, 0, 15, null, Map.of());
    }

    @Test
    void whatCannotBeReadIsRefusedByOffset() throws Exception {
        long offset = sent("order");
        for (long bad : new long[] {-1, offset + 1, 1L << 60, 0}) {
            Answer<NoHeader> answer = back(bad, 0, null, null);
            assertThat(answer.code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
            assertThat(answer.remarkText()).isEqualTo("look message by offset failed, " + bad);
        }
        SendBackHeader unknown = new SendBackHeader(offset, "nobody", 0, null, null, false, null, null);
        assertThat(broker.run(broker.call(broker.client, Rpcs.CONSUMER_SEND_MSG_BACK, unknown, null))
                        .code())
                .isEqualTo(ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST);
    }

    @Test
    void whatWaitsSurvivesARestartAndComesOnce() throws Exception {
        for (int i = 1; i <= 5; i++) {
            back(sent("order" + i), i <= 2 ? 1 : 2, null, null);
        }
        pass(SECOND_MS);
        assertThat(messages(RETRIES)).hasSize(2);
        for (int i = 0; i < 2; i++) {
            disk.kill();
            stores.crash(new Random(i));
            start();
            broker.settle();
        }
        assertThat(messages(RETRIES)).hasSize(2);
        pass(4 * SECOND_MS);
        assertThat(messages(RETRIES))
                .extracting(MessageExt::bodyText)
                .containsExactlyInAnyOrder("order1", "order2", "order3", "order4", "order5");
        pass(60 * SECOND_MS);
        assertThat(messages(RETRIES)).hasSize(5);
    }

    @Test
    void aSlowDiskDoesNotMakeARetryComeTwice() throws Exception {
        back(sent("order"), 1, null, null);
        for (int i = 0; i < 50; i++) {
            clock.nowMs += SECOND_MS;
            broker.stepAllBut("perigee-flusher");
        }
        broker.settle();
        assertThat(messages(RETRIES)).hasSize(1);
        pass(60 * SECOND_MS);
        assertThat(messages(RETRIES)).hasSize(1);
    }

    @Test
    void aSendBackDoesNotWaitForASlowDisk() throws Exception {
        back(sent("first"), 1, null, null);
        SendBackHeader header = new SendBackHeader(sent("order"), "g", 1, null, "T", false, null, null);
        CompletableFuture<Answer<NoHeader>> answer =
                broker.call(broker.client, Rpcs.CONSUMER_SEND_MSG_BACK, header, null);
        broker.stepNetworkOnly();
        broker.stepAllBut("perigee-flusher");
        broker.stepNetworkOnly();
        assertThat(answer).isCompleted();
        assertThat(answer.get().code()).isZero();
        pass(SECOND_MS);
        assertThat(messages(RETRIES)).hasSize(2);
    }

    @Test
    void aRetryThatTheFullDiskRefusesComesWhenThereIsRoomAgain() throws Exception {
        back(sent("order"), 2, null, null);
        disk.freeBytes(0);
        pass(2 * SECOND_MS);
        pass(3 * SECOND_MS);
        pass(10 * SECOND_MS);
        assertThat(messages(RETRIES)).isEmpty();
        assertThat(broker.run(broker.send("refused")).code()).isEqualTo(ResponseCode.SERVICE_NOT_AVAILABLE);
        disk.freeBytes(disk.totalBytes());
        pass(2 * SECOND_MS);
        pass(30 * SECOND_MS);
        assertThat(messages(RETRIES)).hasSize(1);
    }

    @Test
    void whatWaitsSurvivesACleanStop() throws Exception {
        back(sent("order"), 1, null, null);
        broker.broker.close();
        start();
        pass(SECOND_MS);
        assertThat(messages(RETRIES)).hasSize(1);
    }

    @Test
    void whatWaitsComesAlsoWhenSmallerMessagesAreAllowedMeanwhile() throws Exception {
        String large = "x".repeat(200_000);
        back(sent(large), 1, null, null);
        broker.broker.close();
        broker = new SteppedBroker(disk, stores, clock, seed++, 100_000);
        pass(SECOND_MS);
        assertThat(messages(RETRIES)).extracting(MessageExt::bodyText).containsExactly(large);
    }

    @Test
    void whatWaitsComesAlsoWhenItIsManyTimesLargerThanWhatIsAllowedNow() throws Exception {
        CrashingDisk roomy = new CrashingDisk(new Random(2));
        MemoryViewStores kept = new MemoryViewStores();
        broker = new SteppedBroker(roomy, kept, clock, seed++, 4 << 20, 8 << 20);
        broker.run(broker.createTopic("T", 4));
        broker.run(broker.heartbeat("c"));
        String large = "x".repeat(3_500_000);
        back(sent(large), 1, null, null);
        broker.broker.close();
        broker = new SteppedBroker(roomy, kept, clock, seed++, 1024, 8 << 20);
        assertThat(broker.run(broker.send(large)).code()).isEqualTo(ResponseCode.MESSAGE_ILLEGAL);
        pass(SECOND_MS);
        assertThat(messages(RETRIES)).extracting(MessageExt::bodyText).containsExactly(large);
    }

    @Test
    void aRetryWhoseTopicWasDeletedIsClosed() throws Exception {
        back(sent("order"), 1, null, null);
        broker.run(broker.call(broker.client, Rpcs.DELETE_TOPIC_IN_BROKER, new TopicHeader(RETRIES), null));
        pass(SECOND_MS);
        broker.run(broker.createTopic(RETRIES, 1));
        pass(60 * SECOND_MS);
        assertThat(messages(RETRIES)).isEmpty();
    }

    private Answer<SendMessageResponse> toRetryTopic(String properties, int reconsumeTimes, int max) throws Exception {
        SendMessageHeader plain = TestBroker.sendHeader(RETRIES, 0, "");
        SendMessageHeader header = new SendMessageHeader(
                plain.producerGroup(),
                RETRIES,
                plain.defaultTopic(),
                4,
                0,
                0,
                plain.bornTimestamp(),
                0,
                PropertyText.of(properties.replace('=', '\u0001').replace(';', '\u0002')),
                reconsumeTimes,
                false,
                max,
                false,
                null);
        return broker.run(
                broker.call(broker.client, Rpcs.SEND_MESSAGE_V2, header, "again".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void aPlainSendToTheRetryTopicWaitsAsLongAsItsLevelSays() throws Exception {
        Answer<SendMessageResponse> answer = toRetryTopic("RETRY_TOPIC=T;DELAY=2;__TIMER#=1:1:1;", 3, 16);
        assertThat(answer.code()).isZero();
        assertThat(answer.require().queueId()).isZero();
        pass(5 * SECOND_MS - 1);
        assertThat(messages(RETRIES)).isEmpty();
        pass(1);
        MessageExt retry = messages(RETRIES).get(0);
        assertThat(retry.reconsumeTimes()).isEqualTo(3);
        assertThat(retry.properties()).containsEntry("RETRY_TOPIC", "T").doesNotContainKey("DELAY");
    }

    @Test
    void aPlainSendBeyondItsLimitIsADeadLetter() throws Exception {
        assertThat(toRetryTopic("RETRY_TOPIC=T;ORIGIN_MESSAGE_ID=abc;DELAY=3;", 17, 16)
                        .code())
                .isZero();
        MessageExt dead = messages(DEAD).get(0);
        assertThat(dead.reconsumeTimes()).isEqualTo(17);
        assertThat(dead.properties())
                .containsEntry("DLQ_REASON", "retries 16 of 16")
                .containsEntry("DLQ_ORIGIN_TOPIC", "T")
                .containsEntry("DLQ_ORIGIN_MESSAGE_ID", "abc")
                .doesNotContainKey("DELAY");
    }

    @Test
    void whileTheGroupHoldsALockRetriesDieAndReplaysDoNot() throws Exception {
        QueueLockRequest lock =
                new QueueLockRequest("g", "c", false, Set.of(new MessageQueue("T", "broker-a", 0)), null);
        CompletableFuture<?> locked = broker.call(broker.client, Rpcs.LOCK_BATCH_MQ, NoHeader.NONE, Json.write(lock));
        broker.run(locked);
        toRetryTopic("RETRY_TOPIC=T;", 1, 1);
        assertThat(messages(DEAD)).hasSize(1);
        assertThat(messages(DEAD).get(0).properties()).containsEntry("DLQ_REASON", "orderly limit 1");
        toRetryTopic("RETRY_TOPIC=T;", 0, 0);
        assertThat(messages(DEAD)).hasSize(2);
        toRetryTopic("RETRY_TOPIC=T;", 0, -1);
        assertThat(messages(DEAD)).hasSize(2);
        assertThat(messages(RETRIES)).hasSize(1);
    }

    @Test
    void aMessageCannotBeScheduledByHand() throws Exception {
        Answer<SendMessageResponse> marked = broker.run(broker.call(
                broker.client, Rpcs.SEND_MESSAGE_V2, TestBroker.sendHeader("T", 0, "__TIMER#=5;a=b;"), new byte[1]));
        assertThat(marked.code()).isZero();
        assertThat(messages("T").get(0).properties())
                .doesNotContainKey("__TIMER#")
                .containsEntry("a", "b");
    }
}
