package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.send.EndTransactionHeader;
import dev.perigee.protocol.header.send.HalfListHeader;
import dev.perigee.protocol.header.send.ResumeHalfHeader;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is wrong with transactions is refused by name and leaves the log as it is. */
class BadTransactionsTest {
    private final SteppedBroker.TurnedClock clock = new SteppedBroker.TurnedClock();
    private SteppedBroker broker;
    private TransactionPeer producer;
    private TransactionPeer.Half half;
    private long end;

    @BeforeEach
    void open() throws Exception {
        broker = new SteppedBroker(new CrashingDisk(new Random(1)), clock, 1);
        broker.run(broker.createTopic("T", 1));
        producer = new TransactionPeer(broker, "g");
        half = producer.half("T", "k", "");
        broker.settle();
        end = broker.broker.logEndOffset();
    }

    @AfterEach
    void theLogIsAsItWasAndTheHalfStillOpen() throws Exception {
        assertThat(broker.broker.logEndOffset()).isEqualTo(end);
        assertThat(producer.ended(half, TransactionPeer.COMMIT).code()).isZero();
    }

    private void refused(EndTransactionHeader header, String... words) throws Exception {
        refused(broker.run(producer.end(header)), ResponseCode.SYSTEM_ERROR, words);
    }

    private static void refused(Answer<?> answer, int code, String... words) {
        assertThat(answer.code()).as(answer.remarkText()).isEqualTo(code);
        assertThat(answer.remarkText()).contains(words);
    }

    private EndTransactionHeader header(String group, long queueOffset, long commitLogOffset, int outcome, String id) {
        return new EndTransactionHeader("T", group, queueOffset, commitLogOffset, outcome, false, id, id);
    }

    @Test
    void ofAnotherGroup() throws Exception {
        for (int outcome : new int[] {8, 12}) {
            refused(
                    header("thieves", half.queueOffset(), half.commitLogOffset(), outcome, "k"),
                    "The producer group wrong",
                    "thieves",
                    "group g");
        }
    }

    @Test
    void ofAnotherPlaceInTheQueueOfHalves() throws Exception {
        refused(
                header("g", half.queueOffset() + 1, half.commitLogOffset(), 8, "k"),
                "The transaction state table offset wrong",
                "tranStateTableOffset=" + (half.queueOffset() + 1),
                "group g");
    }

    @Test
    void ofAnotherMessage() throws Exception {
        refused(header("g", half.queueOffset(), half.commitLogOffset(), 8, "other"), "msgId=other", "group g", "is k");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 1, Long.MAX_VALUE, Long.MIN_VALUE})
    void ofAnOffsetWhereNothingLies(long offset) throws Exception {
        refused(
                header("g", half.queueOffset(), offset, 8, "k"),
                "The commit log offset wrong",
                "commitLogOffset=" + offset,
                "producerGroup=g",
                "msgId=k");
    }

    @Test
    void ofAMessageThatIsNoHalf() throws Exception {
        Answer<SendMessageResponse> plain = broker.run(broker.send("plain"));
        end = broker.broker.logEndOffset();
        long offset = MessageId.parse(TestBroker.messageId(plain)).physicalOffset();
        refused(header("g", 0, offset, 8, "k"), "The commit log offset wrong");
        refused(header("g", 0, half.commitLogOffset() + 1, 8, "k"), "The commit log offset wrong");
    }

    @Test
    void ofAnOutcomeThatIsNone() throws Exception {
        refused(header("g", half.queueOffset(), half.commitLogOffset(), 4, "k"), "commitOrRollback=4", "8", "12");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CHECK_IMMUNITY_TIME_IN_SECONDS=soon",
                "CHECK_IMMUNITY_TIME_IN_SECONDS=-5",
                "CHECK_INTERVAL_IN_SECONDS=0",
                "CHECK_MAX_TIMES=0",
                "TIMER_DELAY_MS=-1",
                "TIMER_DELIVER_MS=never"
            })
    void aHalfWhosePropertiesSayNonsense(String property) throws Exception {
        refused(
                broker.run(producer.send("T", "k2", "b".getBytes(StandardCharsets.UTF_8), property + ";")),
                ResponseCode.MESSAGE_ILLEGAL,
                property);
    }

    @Test
    void aHalfWithoutAGroupOrByWhoIsNoneOfIt() throws Exception {
        refused(send(4, "TRAN_MSG=true;UNIQ_KEY=x;"), ResponseCode.MESSAGE_ILLEGAL, "PGROUP");
        refused(send(4, "TRAN_MSG=true;PGROUP=;UNIQ_KEY=x;"), ResponseCode.MESSAGE_ILLEGAL, "PGROUP");
        refused(send(4, "TRAN_MSG=true;PGROUP= ;UNIQ_KEY=x;"), ResponseCode.MESSAGE_ILLEGAL, "PGROUP");
        refused(send(4, "UNIQ_KEY=x;"), ResponseCode.MESSAGE_ILLEGAL, "sysFlag 4", "TRAN_MSG");
        for (int flag : new int[] {8, 12}) {
            refused(send(flag, "TRAN_MSG=true;PGROUP=g;"), ResponseCode.MESSAGE_ILLEGAL, "sysFlag " + flag);
        }
    }

    private Answer<SendMessageResponse> send(int sysFlag, String properties) throws Exception {
        SendMessageHeader plain = TestBroker.sendHeader("T", 0, properties);
        SendMessageHeader header = new SendMessageHeader(
                "g", "T", "TBW102", 4, 0, sysFlag, 1, 7, plain.properties(), 0, false, -1, false, null);
        return broker.run(broker.call(broker.client, Rpcs.SEND_MESSAGE_V2, header, new byte[] {1}));
    }

    @Test
    void aHalfWhosePropertiesWouldNotFitWhenItIsCommitted() throws Exception {
        String filler = "filler=" + "x".repeat(32_300) + ";";
        refused(
                broker.run(producer.send("T", "k2", new byte[] {1}, filler)),
                ResponseCode.MESSAGE_ILLEGAL,
                "limit 32767",
                "filler");
    }

    @Test
    void aHalfOfATopicThatBelongsToTheBroker() throws Exception {
        refused(
                broker.run(producer.send("RMQ_SYS_TRANS_HALF_TOPIC", "k2", new byte[] {1}, "")),
                ResponseCode.NO_PERMISSION,
                "RMQ_SYS_TRANS_HALF_TOPIC");
    }

    @Test
    void resumingWhatWasNotSetAside() throws Exception {
        refused(resume("nonsense"), ResponseCode.SYSTEM_ERROR, "msgId=nonsense");
        String plain = MessageId.text(new byte[] {127, 0, 0, 1, 0, 0, 42, (byte) 159}, half.commitLogOffset());
        refused(resume(plain), ResponseCode.SYSTEM_ERROR, "TRANS_CHECK_MAX_TIME_TOPIC", plain);
    }

    private Answer<NoHeader> resume(String id) throws Exception {
        return broker.run(
                broker.call(broker.client, Rpcs.RESUME_CHECK_HALF_MESSAGE, new ResumeHalfHeader(null, id), null));
    }

    @Test
    void listingNoneOrTooMany() throws Exception {
        for (int max : new int[] {0, -1, 1_001}) {
            refused(
                    broker.run(broker.call(
                            broker.client, Rpcs.LIST_HALF_MESSAGES, new HalfListHeader(null, null, -1, max), null)),
                    ResponseCode.INVALID_PARAMETER,
                    "maxNum=" + max);
        }
    }

    @Test
    void aMarkThatAClientForgesClosesNothing() throws Exception {
        String forged = "__HALF#=1:" + half.commitLogOffset() + ":" + half.commitLogOffset() + ":c;";
        SendMessageHeader header = TestBroker.sendHeader("T", 0, forged);
        Answer<?> sent = broker.run(broker.call(broker.client, Rpcs.SEND_MESSAGE_V2, header, new byte[] {1}));
        assertThat(sent.code()).isZero();
        broker.settle();
        end = broker.broker.logEndOffset();
        assertThat(TestBroker.messages(broker.run(broker.call(
                        broker.client,
                        Rpcs.PULL_MESSAGE,
                        TestBroker.pullHeader("TOOLS_CONSUMER", "T", 0, 0, 0),
                        null))))
                .singleElement()
                .satisfies(message -> assertThat(message.property("__HALF#")).isNull());
    }
}
