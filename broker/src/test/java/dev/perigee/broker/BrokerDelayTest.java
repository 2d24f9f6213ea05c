package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.send.SendBackHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.header.topic.TopicConfigHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.RecallHandle;
import dev.perigee.protocol.route.KvTable;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that producers send with a delay level or a time: when they come, and what they look like then. */
class BrokerDelayTest {
    private static final long SECOND_MS = 1_000;
    private static final long DAY_MS = 86_400_000;

    private final SteppedBroker.TurnedClock clock = new SteppedBroker.TurnedClock();
    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private final MemoryViewStores stores = new MemoryViewStores();
    private SteppedBroker broker;
    private long seed = 1;

    @BeforeEach
    void open() throws Exception {
        start(Map.of());
        broker.run(broker.createTopic("T", 4));
        broker.run(broker.heartbeat("c"));
    }

    private void start(Map<String, String> settings) throws Exception {
        broker = new SteppedBroker(disk, stores, clock, seed++, settings);
    }

    private void crash() throws Exception {
        disk.kill();
        stores.crash(new Random(seed));
        start(Map.of());
        broker.settle();
    }

    private SendMessageResponse sent(String properties, String body) throws Exception {
        Answer<SendMessageResponse> answer = broker.sendWith("T", 2, properties, body);
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        return answer.require();
    }

    private List<MessageExt> messages() throws Exception {
        return broker.messages("T", 2);
    }

    private void comesAfter(long delayMs) throws Exception {
        int before = messages().size();
        broker.pass(delayMs - 1);
        assertThat(messages()).as("%s ms later", delayMs - 1).hasSize(before);
        broker.pass(1);
        assertThat(messages()).as("%s ms later", delayMs).hasSize(before + 1);
    }

    @Test
    void aLevelIsDeliveredWhenItIsDueWithoutATraceOfItsWaiting() throws Exception {
        SendMessageResponse answer = sent("DELAY=2;TAGS=t;KEYS=k;UNIQ_KEY=KEY1;a=b;TIMER_DELAY_SEC=99;", "order");
        assertThat(answer.queueId()).as("the queue that was asked for").isEqualTo(2);
        assertThat(answer.transactionId()).isEqualTo("KEY1");
        comesAfter(5 * SECOND_MS);
        MessageExt message = messages().get(0);
        assertThat(message.bodyText()).isEqualTo("order");
        assertThat(message.bornTimestampMs()).isEqualTo(1_760_000_000_000L);
        assertThat(message.storeTimestampMs()).isEqualTo(clock.wallMs());
        assertThat(message.properties())
                .containsEntry("TAGS", "t")
                .containsEntry("KEYS", "k")
                .containsEntry("UNIQ_KEY", "KEY1")
                .containsEntry("a", "b")
                .doesNotContainKeys("DELAY", "REAL_TOPIC", "REAL_QID", "TIMER_DELAY_SEC", "TIMER_OUT_MS");
    }

    @Test
    void eachFormIsDeliveredWhenItIsDue() throws Exception {
        for (String form : List.of("TIMER_DELAY_SEC=7;", "TIMER_DELAY_MS=7000;", "TIMER_DELIVER_MS=%d;")) {
            long sentMs = clock.wallMs();
            long dueMs = sentMs + 7 * SECOND_MS;
            String properties = form.formatted(dueMs);
            sent(properties + "TAGS=t;UNIQ_KEY=KEY1;", "order");
            comesAfter(7 * SECOND_MS);
            List<MessageExt> all = messages();
            assertThat(all.get(all.size() - 1).properties())
                    .containsEntry("TIMER_OUT_MS", Long.toString(dueMs))
                    .containsEntry("TIMER_ENQUEUE_MS", Long.toString(sentMs))
                    .containsEntry("TIMER_DEQUEUE_MS", Long.toString(dueMs))
                    .containsEntry("TIMER_ROLL_TIMES", "0")
                    .containsEntry(
                            properties.substring(0, properties.indexOf('=')),
                            properties.substring(properties.indexOf('=') + 1, properties.length() - 1))
                    .containsEntry("TAGS", "t")
                    .containsEntry("UNIQ_KEY", "KEY1")
                    .doesNotContainKeys("REAL_TOPIC", "REAL_QID", "DELAY");
        }
    }

    @Test
    void exactlyTheLimitWaitsToItsEnd() throws Exception {
        sent("TIMER_DELAY_SEC=2592000;", "order");
        broker.pass(20 * DAY_MS);
        comesAfter(10 * DAY_MS);
    }

    @Test
    void theLimitIsASetting() throws Exception {
        broker.broker.close();
        start(Map.of("timerMaxDelaySec", "5"));
        Answer<SendMessageResponse> refused = broker.sendWith("T", 2, "TIMER_DELAY_MS=5001;", "order");
        assertThat(refused.code()).isEqualTo(ResponseCode.MESSAGE_ILLEGAL);
        assertThat(refused.remarkText())
                .contains("property TIMER_DELAY_MS=5001 is no whole number from 0 to 5000 (timerMaxDelaySec=5)");
        sent("TIMER_DELAY_MS=5000;", "order");
        comesAfter(5 * SECOND_MS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "TIMER_DELIVER_MS=1759999999999;",
                "TIMER_DELIVER_MS=1760000000000;",
                "TIMER_DELIVER_MS=-1;",
                "TIMER_DELAY_MS=0;",
                "TIMER_DELAY_SEC=0;",
                "DELAY=0;",
                "DELAY=-3;",
                "TIMER_DELAY_SEC=99;TIMER_OUT_MS=1;"
            })
    void whatIsDueAlreadyIsAnOrdinaryMessage(String properties) throws Exception {
        SendMessageResponse answer = sent(properties, "now");
        assertThat(answer.recallHandle()).isNull();
        broker.settle();
        assertThat(messages()).hasSize(1);
        assertThat(messages().get(0).offsetMessageId()).isEqualTo(answer.msgId());
        assertThat(messages().get(0).properties()).doesNotContainKeys("TIMER_ENQUEUE_MS", "__TIMER#");
        broker.pass(200 * SECOND_MS);
        assertThat(messages()).hasSize(1);
    }

    @Test
    void aLevelAboveTheLastIsTheLast() throws Exception {
        sent("DELAY=99;", "order");
        broker.pass(3_600 * SECOND_MS);
        comesAfter(3_600 * SECOND_MS);
    }

    @Test
    void aLadderOf64LevelsHas64Queues() throws Exception {
        assertThat(queuesOfLevels()).isEqualTo(18);
        broker.broker.close();
        String ladder = IntStream.rangeClosed(1, 64).mapToObj(i -> i + "s").collect(Collectors.joining(" "));
        start(Map.of("messageDelayLevel", ladder));
        assertThat(queuesOfLevels()).isEqualTo(64);
        sent("DELAY=64;", "order");
        comesAfter(64 * SECOND_MS);
        broker.broker.close();
        start(Map.of("messageDelayLevel", "1s"));
        assertThat(queuesOfLevels()).as("what waits there must stay").isEqualTo(64);
    }

    private int queuesOfLevels() throws Exception {
        Answer<?> answer = broker.run(broker.call(
                broker.client, Rpcs.GET_TOPIC_CONFIG, new TopicConfigHeader("SCHEDULE_TOPIC_XXXX", null), null));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        return Json.read(answer.body(), TopicConfig.class).writeQueueNums();
    }

    @Test
    void theAnswerTellsByWhatAWaitingMessageCanBeRecalled() throws Exception {
        long nowMs = clock.wallMs();
        assertThat(sent("TIMER_DELAY_MS=7000;UNIQ_KEY=KEY1;", "order").recallHandle())
                .isEqualTo(new RecallHandle("T", "broker-a", nowMs + 7_001, "KEY1").text());
        assertThat(sent("DELAY=1;UNIQ_KEY=KEY2;", "order").recallHandle())
                .isEqualTo(new RecallHandle("T", "broker-a", nowMs + 1_001, "KEY2").text());
        assertThat(sent("DELAY=1;", "order").recallHandle())
                .as("the broker made a key")
                .isNotNull();
        assertThat(sent("DELAY=1;UNIQ_KEY=two words;", "order").recallHandle()).isNull();
        assertThat(sent("UNIQ_KEY=KEY3;", "order").recallHandle()).isNull();
        assertThat(broker.sendWith("%RETRY%g", 0, "DELAY=1;UNIQ_KEY=KEY4;", "order")
                        .require()
                        .recallHandle())
                .isNull();
    }

    @Test
    void aDeliveredMessageThatFailsComesBackByItsLevelAlone() throws Exception {
        sent("TIMER_DELAY_SEC=7;", "order");
        comesAfter(7 * SECOND_MS);
        long offset = messages().get(0).physicalOffset();
        SendBackHeader back = new SendBackHeader(offset, "g", 1, null, "T", false, null, null);
        assertThat(broker.run(broker.call(broker.client, Rpcs.CONSUMER_SEND_MSG_BACK, back, null))
                        .code())
                .isZero();
        broker.pass(SECOND_MS - 1);
        assertThat(broker.messages("%RETRY%g", 0)).isEmpty();
        broker.pass(1);
        assertThat(broker.messages("%RETRY%g", 0)).hasSize(1);
        assertThat(broker.messages("%RETRY%g", 0).get(0).properties())
                .doesNotContainKeys("TIMER_DELAY_SEC", "TIMER_OUT_MS", "TIMER_DEQUEUE_MS", "DELAY");
    }

    @Test
    void whatWaitsSurvivesCrashesAndComesOnce() throws Exception {
        for (int i = 1; i <= 4; i++) {
            sent("TIMER_DELAY_SEC=" + i + ";", "second" + i);
        }
        sent("DELAY=2;", "level");
        broker.pass(2 * SECOND_MS);
        crash();
        crash();
        broker.pass(SECOND_MS);
        assertThat(messages()).extracting(MessageExt::bodyText).containsExactly("second1", "second2", "second3");
        broker.pass(60 * SECOND_MS);
        assertThat(messages())
                .extracting(MessageExt::bodyText)
                .containsExactly("second1", "second2", "second3", "second4", "level");
    }

    @Test
    void propertiesMustHaveRoomForWhatWaitingAndDeliveryAdd() throws Exception {
        String longest = null;
        for (int length = 32_700; length > 32_000 && longest == null; length--) {
            String properties = "TIMER_DELAY_SEC=1;UNIQ_KEY=K;a=" + "x".repeat(length) + ";";
            Answer<SendMessageResponse> answer = broker.sendWith("T", 2, properties, "b");
            longest = answer.code() == 0 ? properties : null;
        }
        assertThat(longest).isNotNull();
        broker.pass(SECOND_MS);
        assertThat(messages()).hasSize(1);
        assertThat(messages().get(0).properties()).containsKey("TIMER_DEQUEUE_MS");
    }

    @Test
    void aDelayedMessageCountsWhenItIsTakenAndWhenItIsDelivered() throws Exception {
        long before = stored();
        sent("DELAY=1;", "order");
        assertThat(stored()).isEqualTo(before + 1);
        broker.pass(SECOND_MS);
        assertThat(stored()).isEqualTo(before + 2);
    }

    private long stored() throws Exception {
        Answer<?> answer = broker.run(broker.call(broker.client, Rpcs.GET_BROKER_RUNTIME_INFO, NoHeader.NONE, null));
        return Long.parseLong(Objects.requireNonNull(
                Json.read(answer.body(), KvTable.class).table().get("msgPutTotalTodayNow")));
    }

    @Test
    void aMessageIsDelayedInATopicThatItsSendMakes() throws Exception {
        Answer<SendMessageResponse> answer = broker.sendWith("New", 1, "TIMER_DELAY_SEC=1;", "order");
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        broker.pass(SECOND_MS);
        assertThat(broker.messages("New", 1)).hasSize(1);
    }
}
