package dev.perigee.broker;

import static dev.perigee.broker.SteppedPair.MASTER_PORT;
import static dev.perigee.broker.SteppedPair.SLAVE_PORT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.offset.MaxOffsetHeader;
import dev.perigee.protocol.header.offset.QueueHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.query.QueryMessageHeader;
import dev.perigee.protocol.header.query.ViewMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.header.topic.TopicConfigHeader;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a slave hands out, with its master and without it. */
class SlaveReadsTest {
    private final SteppedPair pair = new SteppedPair();

    @BeforeEach
    void start() throws Exception {
        pair.startMaster(Map.of());
        pair.createTopic("T");
        pair.sendMany("T", 10);
        pair.heartbeat(MASTER_PORT, "g");
    }

    private Answer<PullMessageResponse> pull(int port, long offset) throws Exception {
        return pair.get(pair.pull(port, "g", offset, 0));
    }

    @Test
    void readersGoOnWithASlaveWhoseMasterIsGone() throws Exception {
        Answer<SendMessageResponse> sent = pair.send(MASTER_PORT, "T", "the last", "KEYS=last;");
        pair.startSlave(Map.of());
        pair.level();
        pair.stopMaster();

        pair.heartbeat(SLAVE_PORT, "g");
        Answer<PullMessageResponse> found = pull(SLAVE_PORT, 0);
        assertThat(found.code()).as(found.remarkText()).isZero();
        assertThat(TestBroker.bodies(found)).hasSize(11).startsWith("m0").endsWith("the last");
        assertThat(found.require().suggestWhichBrokerId()).isZero();
        assertThat(pair.get(pair.call(SLAVE_PORT, Rpcs.GET_MAX_OFFSET, new MaxOffsetHeader("T", 0, true), null))
                        .require()
                        .offset())
                .isEqualTo(11);
        assertThat(pair.get(pair.call(SLAVE_PORT, Rpcs.GET_MIN_OFFSET, new QueueHeader("T", 0), null))
                        .require()
                        .offset())
                .isZero();
        long place = MessageId.parse(TestBroker.messageId(sent)).physicalOffset();
        Answer<?> one =
                pair.get(pair.call(SLAVE_PORT, Rpcs.VIEW_MESSAGE_BY_ID, new ViewMessageHeader("T", place), null));
        assertThat(TestBroker.bodies(one)).containsExactly("the last");
        Answer<?> byKey = pair.get(pair.call(
                SLAVE_PORT,
                Rpcs.QUERY_MESSAGE,
                new QueryMessageHeader("T", "last", 8, 0, Long.MAX_VALUE, false, null, null),
                null));
        assertThat(TestBroker.bodies(byKey)).containsExactly("the last");
        assertThat(pair.get(pair.call(SLAVE_PORT, Rpcs.GET_TOPIC_CONFIG, new TopicConfigHeader("T", null), null))
                        .code())
                .isZero();
    }

    @Test
    void aGroupThatNobodyMadeReadsFromASlaveWithoutBeingMade() throws Exception {
        pair.startSlave(Map.of());
        pair.level();
        pair.stopMaster();
        pair.heartbeat(SLAVE_PORT, "newcomers");
        Answer<PullMessageResponse> found = pair.get(pair.pull(SLAVE_PORT, "newcomers", 0, 0));
        assertThat(found.code()).as(found.remarkText()).isZero();
        assertThat(TestBroker.bodies(found)).hasSize(10);
    }

    @Test
    void withoutItsMasterASlaveLetsReadersWaitForMessages() throws Exception {
        pair.startSlave(Map.of());
        pair.level();
        pair.stopMaster();
        pair.heartbeat(SLAVE_PORT, "g");
        CompletableFuture<Answer<PullMessageResponse>> atEnd = pair.pull(SLAVE_PORT, "g", 10, 5_000);
        CompletableFuture<Answer<PullMessageResponse>> beyond = pair.pull(SLAVE_PORT, "g", 17, 5_000);
        pair.pass(1_000);
        assertThat(atEnd).isNotDone();
        assertThat(beyond).as("of a reader that is further than this log").isNotDone();
        Answer<PullMessageResponse> nothing = pair.get(atEnd);
        assertThat(nothing.code()).isEqualTo(ResponseCode.PULL_NOT_FOUND);
        assertThat(nothing.require().nextBeginOffset()).isEqualTo(10);
        Answer<PullMessageResponse> further = pair.get(beyond);
        assertThat(further.code()).isEqualTo(ResponseCode.PULL_NOT_FOUND);
        assertThat(further.require().nextBeginOffset())
                .as("nobody is moved back for what only the master has")
                .isEqualTo(17);
    }

    @Test
    void aReaderThatWaitsAtASlaveIsSentToTheMasterThatIsBackWithItsFirstMessage() throws Exception {
        pair.startSlave(Map.of());
        pair.level();
        pair.stopMaster();
        pair.heartbeat(SLAVE_PORT, "g");
        CompletableFuture<Answer<PullMessageResponse>> waiting = pair.pull(SLAVE_PORT, "g", 10, 30_000);
        pair.pass(10);
        pair.startMaster(Map.of());
        assertThat(pair.send(MASTER_PORT, "T", "fresh", "").code()).isZero();
        Answer<PullMessageResponse> woken = pair.get(waiting);
        assertThat(woken.code()).isEqualTo(ResponseCode.PULL_RETRY_IMMEDIATELY);
        assertThat(woken.require().suggestWhichBrokerId()).isZero();
        assertThat(TestBroker.bodies(pull(MASTER_PORT, woken.require().nextBeginOffset())))
                .containsExactly("fresh");
    }

    @Test
    void aSlaveWhoseMasterIsHeardSendsReadersToIt() throws Exception {
        pair.startSlave(Map.of());
        pair.level();
        for (long offset : new long[] {0, 5, 10, 17}) {
            Answer<PullMessageResponse> sentOn = pull(SLAVE_PORT, offset);
            assertThat(sentOn.code()).as(sentOn.remarkText()).isEqualTo(ResponseCode.PULL_RETRY_IMMEDIATELY);
            assertThat(sentOn.require().suggestWhichBrokerId()).isZero();
            assertThat(sentOn.require().nextBeginOffset()).isEqualTo(offset);
        }
    }

    @Test
    void whoReadsFarBehindIsSentToASlaveInSyncAndBackWhenItFindsNothing() throws Exception {
        Map<String, String> readable = Map.of("slaveReadEnable", "true", "accessMessageInMemoryMaxRatio", "0");
        pair.stopMaster();
        pair.startMaster(readable);
        assertThat(pull(MASTER_PORT, 0).require().suggestWhichBrokerId())
                .as("without a slave")
                .isZero();
        pair.startSlave(readable);
        pair.level();
        pair.until(() -> {
            pair.pass(10);
            return suggestion(MASTER_PORT) == 1;
        });
        Answer<PullMessageResponse> there = pull(SLAVE_PORT, 0);
        assertThat(TestBroker.bodies(there)).hasSize(10);
        assertThat(there.require().suggestWhichBrokerId()).isEqualTo(1);
        Answer<PullMessageResponse> back = pull(SLAVE_PORT, 10);
        assertThat(back.code()).isEqualTo(ResponseCode.PULL_RETRY_IMMEDIATELY);
        assertThat(back.require().suggestWhichBrokerId()).isZero();
        pair.stopSlave();
        pair.until(() -> {
            pair.pass(100);
            return suggestion(MASTER_PORT) == 0;
        });
    }

    private long suggestion(int port) {
        try {
            return pull(port, 0).require().suggestWhichBrokerId();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
