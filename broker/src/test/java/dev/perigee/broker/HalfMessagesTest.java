package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.query.QueryMessageHeader;
import dev.perigee.protocol.header.query.QueryMessageResponse;
import dev.perigee.protocol.header.send.HalfListHeader;
import dev.perigee.protocol.header.send.SendBackHeader;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.transaction.HalfMessage;
import dev.perigee.protocol.transaction.HalfMessageList;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Halves of transactions: accepted, hidden from consumers, and listed for tools. */
class HalfMessagesTest {
    private static final String HALVES = "RMQ_SYS_TRANS_HALF_TOPIC";

    private final SteppedBroker.TurnedClock clock = new SteppedBroker.TurnedClock();
    private SteppedBroker broker;
    private TransactionPeer producer;

    @BeforeEach
    void open() throws Exception {
        broker = new SteppedBroker(new CrashingDisk(new Random(1)), clock, 1);
        broker.run(broker.createTopic("T", 2));
        producer = new TransactionPeer(broker, "g");
    }

    private Answer<?> pull(String topic) throws Exception {
        return broker.run(broker.call(
                broker.client, Rpcs.PULL_MESSAGE, TestBroker.pullHeader("TOOLS_CONSUMER", topic, 0, 0, 0), null));
    }

    private Answer<QueryMessageResponse> query(String topic, String key, boolean unique) throws Exception {
        return broker.run(broker.call(
                broker.client,
                Rpcs.QUERY_MESSAGE,
                new QueryMessageHeader(topic, key, 32, 0, Long.MAX_VALUE, unique, null, null),
                null));
    }

    @Test
    void theAnswerNamesTheHalfAndTheQueueThatWasAskedFor() throws Exception {
        SendMessageHeader plain = TestBroker.sendHeader("T", 1, "TRAN_MSG=true;PGROUP=g;UNIQ_KEY=k;");
        Answer<SendMessageResponse> first =
                broker.run(broker.call(broker.client, Rpcs.SEND_MESSAGE_V2, plain, new byte[] {1}));
        assertThat(first.code()).as(first.remarkText()).isZero();
        assertThat(first.require().queueId()).isEqualTo(1);
        assertThat(first.require().queueOffset()).isZero();
        assertThat(first.require().transactionId()).isEqualTo("k");
        TransactionPeer.Half second = producer.half("T", "k2", "");
        assertThat(second.queueOffset()).as("its place among the halves").isEqualTo(1);
        assertThat(second.commitLogOffset())
                .isGreaterThan(MessageId.parse(TestBroker.messageId(first)).physicalOffset());
    }

    @Test
    void noPullAndNoKeyOfTheTopicShowsIt() throws Exception {
        TransactionPeer.Half half = producer.half("T", "k", "KEYS=order7;");
        broker.settle();
        assertThat(pull("T").code()).isEqualTo(ResponseCode.PULL_NOT_FOUND);
        assertThat(pull(HALVES).code()).isEqualTo(ResponseCode.NO_PERMISSION);
        assertThat(query("T", "order7", false).code()).isEqualTo(ResponseCode.QUERY_NOT_FOUND);
        assertThat(query("T", "k", true).code()).isEqualTo(ResponseCode.QUERY_NOT_FOUND);
        assertThat(producer.ended(half, TransactionPeer.COMMIT).code()).isZero();
        assertThat(TestBroker.bodies(pull("T"))).containsExactly("body of k");
        assertThat(TestBroker.bodies(query("T", "order7", false))).containsExactly("body of k");
        assertThat(TestBroker.bodies(query("T", "k", true))).containsExactly("body of k");
    }

    private Answer<SendMessageResponse> sentAgain(String topic, String properties) throws Exception {
        SendMessageHeader plain = TestBroker.sendHeader(topic, 0, properties);
        SendMessageHeader again = new SendMessageHeader(
                "CLIENT_INNER_PRODUCER", topic, "TBW102", 4, 0, 4, 1, 7, plain.properties(), 2, false, 16, false, null);
        return broker.run(broker.call(broker.client, Rpcs.SEND_MESSAGE_V2, again, new byte[] {1}));
    }

    @Test
    void aMessageThatFailedAndIsSentAgainIsNoHalf() throws Exception {
        broker.run(broker.heartbeat("c"));
        Answer<SendMessageResponse> answer = sentAgain("%RETRY%g", "TRAN_MSG=true;PGROUP=g;DELAY=3;RETRY_TOPIC=T;");
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        assertThat(list(null, null, -1, 32).halves()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"TIMER_DELAY_MS=1000;", "TIMER_DELAY_SEC=1;", "TIMER_DELIVER_MS=1760000001000;", "DELAY=0;", ""})
    void onlyADelayLevelMakesOneThatCountsRetriesNoHalf(String delay) throws Exception {
        Answer<SendMessageResponse> answer = sentAgain("T", "TRAN_MSG=true;PGROUP=g;UNIQ_KEY=k;" + delay);
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        assertThat(list(null, null, -1, 32).halves())
                .extracting(HalfMessage::uniqueKey)
                .containsExactly("k");
        broker.pass(5_000);
        assertThat(pull("T").code()).as("not without a commit").isEqualTo(ResponseCode.PULL_NOT_FOUND);
    }

    @Test
    void anAnswerToToolsIsBoundInBytesAndSaysWhereToGoOn() throws Exception {
        String keys = "KEYS=" + "x".repeat(30_000) + ";";
        int halves = (4 << 20) / 30_000 + 10;
        for (int i = 0; i < halves; i++) {
            producer.half("T", "k" + i, keys);
        }
        HalfMessageList first = list(null, null, -1, 1_000);
        assertThat(first.halves()).hasSizeBetween(2, halves - 1);
        assertThat(first.goOnAfter())
                .isEqualTo(first.halves().get(first.halves().size() - 1).commitLogOffset());
        HalfMessageList second = list(null, null, first.goOnAfter(), 1_000);
        assertThat(first.halves().size() + second.halves().size()).isEqualTo(halves);
        assertThat(second.goOnAfter()).isEqualTo(-1);
    }

    @Test
    void aCommittedMessageThatFailsComesAgainAsItselfAndClosesNothing() throws Exception { // F9
        broker.run(broker.heartbeat("c"));
        TransactionPeer.Half half = producer.half("T", "k", "");
        producer.half("T", "open", "");
        assertThat(producer.ended(half, TransactionPeer.COMMIT).code()).isZero();
        MessageExt first = TestBroker.messages(pull("T")).get(0);
        SendBackHeader back = new SendBackHeader(first.physicalOffset(), "g", 1, null, "T", false, null, null);
        assertThat(broker.run(broker.call(broker.client, Rpcs.CONSUMER_SEND_MSG_BACK, back, null))
                        .code())
                .isZero();
        clock.nowMs += 1_100;
        broker.settle();
        assertThat(TestBroker.messages(pull("%RETRY%g"))).singleElement().satisfies(again -> {
            assertThat(again.bodyText()).isEqualTo("body of k");
            assertThat(again.property("__HALF#")).isNull();
        });
        assertThat(list(null, null, -1, 32).halves())
                .extracting(HalfMessage::uniqueKey)
                .containsExactly("open");
    }

    @Test
    void aBrokerThatTakesNoneSaysSo(@TempDir Path folder) throws Exception {
        try (TestBroker refusing = new TestBroker(folder, Map.of("rejectTransactionMessage", "true"))) {
            Answer<SendMessageResponse> answer = refusing.send("T", 0, "m", "TRAN_MSG=true;PGROUP=g;");
            assertThat(answer.code()).isEqualTo(ResponseCode.NO_PERMISSION);
            assertThat(answer.remarkText()).contains("TRAN_MSG=true", "rejectTransactionMessage");
            assertThat(refusing.send("T", 0, "m").code()).isZero();
        }
    }

    @Test
    void aBatchCannotHoldOne() throws Exception {
        SendMessageHeader plain = TestBroker.sendHeader("T", 0, "TRAN_MSG=true;PGROUP=g;");
        SendMessageHeader batch =
                new SendMessageHeader("g", "T", "TBW102", 4, 0, 0, 1, 7, plain.properties(), 0, false, -1, true, null);
        byte[] entry = {0, 0, 0, 23, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0};
        Answer<?> answer = broker.run(broker.call(broker.client, Rpcs.SEND_BATCH_MESSAGE, batch, entry));
        assertThat(answer.code()).as(answer.remarkText()).isEqualTo(ResponseCode.MESSAGE_ILLEGAL);
        assertThat(answer.remarkText()).contains("TRAN_MSG=true", "batch");
    }

    @Test
    void aDelayWaitsForTheCommit() throws Exception {
        TransactionPeer.Half half = producer.half("T", "k", "TIMER_DELAY_SEC=10;");
        clock.nowMs += 4_000;
        broker.settle();
        assertThat(producer.ended(half, TransactionPeer.COMMIT).code()).isZero();
        clock.nowMs += 9_000;
        broker.settle();
        assertThat(pull("T").code()).isEqualTo(ResponseCode.PULL_NOT_FOUND);
        assertThat(list(null, null, -1, 32).halves()).isEmpty();
        clock.nowMs += 1_100;
        broker.settle();
        assertThat(TestBroker.messages(pull("T"))).singleElement().satisfies(message -> {
            assertThat(message.bodyText()).isEqualTo("body of k");
            assertThat(message.sysFlag()).isEqualTo(8);
            assertThat(message.preparedTransactionOffset()).isEqualTo(half.commitLogOffset());
            assertThat(message.property("__HALF#")).isNull();
        });
    }

    @Test
    void aDelayLevelWaitsForTheCommitToo() throws Exception {
        TransactionPeer.Half half = producer.half("T", "k", "DELAY=2;");
        clock.nowMs += 5_500;
        broker.settle();
        assertThat(pull("T").code()).isEqualTo(ResponseCode.PULL_NOT_FOUND);
        assertThat(producer.ended(half, TransactionPeer.COMMIT).code()).isZero();
        clock.nowMs += 4_900;
        broker.settle();
        assertThat(pull("T").code()).isEqualTo(ResponseCode.PULL_NOT_FOUND);
        clock.nowMs += 200;
        broker.settle();
        List<MessageExt> delivered = TestBroker.messages(pull("T"));
        assertThat(delivered).hasSize(1);
        assertThat(delivered.get(0).properties()).doesNotContainKeys("DELAY", "REAL_TOPIC", "__HALF#");
    }

    private HalfMessageList list(@Nullable String group, @Nullable String topic, long after, int max) throws Exception {
        Answer<NoHeader> answer = broker.run(broker.call(
                broker.client, Rpcs.LIST_HALF_MESSAGES, new HalfListHeader(group, topic, after, max), null));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        return Json.read(answer.body(), HalfMessageList.class);
    }

    @Test
    void toolsSeeWhatIsUndecidedPageByPage() throws Exception {
        broker.run(broker.createTopic("U", 1));
        TransactionPeer other = new TransactionPeer(broker, "other");
        for (int i = 0; i < 5; i++) {
            producer.half("T", "k" + i, "KEYS=order" + i + ";");
        }
        other.half("U", "o", "");
        HalfMessageList first = list(null, null, -1, 4);
        assertThat(first.halves()).extracting(HalfMessage::uniqueKey).containsExactly("k0", "k1", "k2", "k3");
        HalfMessageList second = list(null, null, first.goOnAfter(), 4);
        assertThat(second.halves()).extracting(HalfMessage::uniqueKey).containsExactly("k4", "o");
        assertThat(second.goOnAfter()).isEqualTo(-1);
        assertThat(list("other", null, -1, 4).halves())
                .extracting(HalfMessage::uniqueKey)
                .containsExactly("o");
        assertThat(list(null, "U", -1, 4).halves())
                .extracting(HalfMessage::topic)
                .containsExactly("U");
        assertThat(list("nobody", null, -1, 4).halves()).isEmpty();
        HalfMessage half = first.halves().get(1);
        assertThat(half.producerGroup()).isEqualTo("g");
        assertThat(half.topic()).isEqualTo("T");
        assertThat(half.keys()).isEqualTo("order1");
        assertThat(half.checks()).isZero();
        assertThat(half.nextCheckMs()).isEqualTo(clock.nowMs + 6_000);
        assertThat(half.bodyBytes()).isEqualTo("body of k1".getBytes(StandardCharsets.UTF_8).length);
        assertThat(half.bornTimestampMs()).isEqualTo(1_760_000_000_000L);
        assertThat(half.bornHost()).contains(":");
    }
}
