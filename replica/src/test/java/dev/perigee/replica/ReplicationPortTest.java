package dev.perigee.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.offset.QueueHeader;
import dev.perigee.protocol.header.replica.FetchedHeader;
import dev.perigee.protocol.header.replica.ForkAnswer;
import dev.perigee.protocol.header.replica.ForkHeader;
import dev.perigee.protocol.header.replica.HeldHeader;
import dev.perigee.protocol.header.replica.HelloAnswer;
import dev.perigee.protocol.header.replica.HelloHeader;
import dev.perigee.protocol.header.replica.RangeAnswer;
import dev.perigee.protocol.header.replica.RangeHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.memory.MemoryTransport;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a master answers on its replication port, to a peer that speaks frame by frame. */
class ReplicationPortTest {
    private static final String MASTER = "127.0.0.1:" + ReplicaNode.MASTER_PORT;
    private static final long SESSION = 5;

    private long nowMs = 1_700_000_000_000L;
    private final Clock clock = new Clock() {
        @Override
        public long wallMs() {
            return nowMs;
        }

        @Override
        public long monotonicNs() {
            return nowMs * 1_000_000;
        }
    };
    private final MemoryTransport network = new MemoryTransport(clock);
    private final ReplicaNode master = new ReplicaNode(0, new Random(3), clock, network);
    private final RemotingClient peer = new RemotingClient(ClientConfig.DEFAULT, network, clock);
    private final List<FetchedHeader> fetched = new ArrayList<>();

    @BeforeEach
    void open() throws Exception {
        peer.onRequest(HandlerTable.builder()
                .on(Rpcs.REPLICA_FETCHED, (request, reply) -> fetched.add(request.header()))
                .build());
        master.openMaster(false);
        for (int i = 0; i < 10; i++) {
            master.step();
        }
    }

    private <Q extends Record, R extends Record> Answer<R> call(Rpc<Q, R> rpc, Q header) throws Exception {
        CompletableFuture<Answer<R>> answer = peer.call(MASTER, rpc, header, null, Deadline.after(clock, 3_000));
        network.runUntilIdle(10_000);
        return answer.get();
    }

    private static HelloHeader hello(String cluster, long brokerId, String node) {
        return new HelloHeader(
                cluster,
                "broker-a",
                brokerId,
                node,
                HelloCheck.NONE,
                0,
                HelloCheck.NONE,
                0,
                0,
                0,
                1,
                1,
                SESSION,
                SESSION,
                1 << 20,
                false);
    }

    private void held(long session, int epoch, long endOffset) {
        peer.oneway(MASTER, Rpcs.REPLICA_HELD, new HeldHeader(session, epoch, endOffset), null);
        network.runUntilIdle(10_000);
    }

    @Test
    void answersWhoItIsAndStreamsFromWhereTheReplicaSaysItHolds() throws Exception {
        Answer<HelloAnswer> answer = call(Rpcs.REPLICA_HELLO, hello("cluster", 1, "aa"));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        assertThat(answer.require().brokerId()).isZero();
        assertThat(answer.require().logId())
                .isEqualTo(Long.toHexString(master.log().logId()));
        assertThat(answer.require().endOffset()).isEqualTo(master.log().endOffset());
        assertThat(fetched).as("nothing before it says what it holds").isEmpty();
        held(SESSION, 0, 0);
        assertThat(fetched).isNotEmpty();
        assertThat(fetched.get(0).offset()).isZero();
        assertThat(fetched).allMatch(header -> header.session() == SESSION);
    }

    /** Its epoch would be that of the run before. */
    @Test
    void takesNobodyInBeforeItHasBegunItsEpoch() throws Exception {
        master.close();
        master.openMaster(false);
        network.runUntilIdle(10_000);
        assertThat(call(Rpcs.REPLICA_HELLO, hello("cluster", 1, "aa")).remarkText())
                .contains("not begun");
        master.step();
        assertThat(call(Rpcs.REPLICA_HELLO, hello("cluster", 1, "aa")).require().epoch())
                .isEqualTo(2);
    }

    @Test
    void namesBothSidesWhenItRefuses() throws Exception {
        Answer<HelloAnswer> answer = call(Rpcs.REPLICA_HELLO, hello("elsewhere", 1, "aa"));
        assertThat(answer.code()).isEqualTo(ResponseCode.REPLICA_DOES_NOT_FIT);
        assertThat(answer.remarkText()).contains("elsewhere", "cluster");
        held(SESSION, 0, 0);
        assertThat(fetched).isEmpty();
    }

    @Test
    void refusesASecondMasterOfItsName() throws Exception {
        assertThat(call(Rpcs.REPLICA_HELLO, hello("cluster", 0, "bb")).remarkText())
                .contains("two brokers broker-a");
    }

    @Test
    void clientTrafficIsAnsweredAsAnUnknownRequest() throws Exception {
        assertThat(call(Rpcs.GET_MIN_OFFSET, new QueueHeader("t", 0)).code())
                .isEqualTo(ResponseCode.REQUEST_CODE_NOT_SUPPORTED);
    }

    @Test
    void answersNoSearchWithoutAHello() throws Exception {
        Answer<ForkAnswer> answer = call(Rpcs.REPLICA_FORK, new ForkHeader(SESSION, 1));
        assertThat(answer.code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
        assertThat(answer.remarkText()).contains("session " + SESSION);
    }

    @Test
    void answersTheSearchWithItsLargestEpochThatIsNotAbove() throws Exception {
        call(Rpcs.REPLICA_HELLO, hello("cluster", 1, "aa"));
        ForkAnswer answer = call(Rpcs.REPLICA_FORK, new ForkHeader(SESSION, 9)).require();
        assertThat(answer.epoch()).isEqualTo(1);
        assertThat(answer.endOffset()).isEqualTo(master.log().endOffset());
        assertThat(call(Rpcs.REPLICA_FORK, new ForkHeader(SESSION, 0)).require())
                .isEqualTo(new ForkAnswer(0, HelloCheck.NONE, 0));
    }

    /** The master's log was trimmed to there: of the byte before it knows nothing. */
    @Test
    void aReplicaThatEndsWhereTheLogBeginsIsFedWhateverItsEpoch() throws Exception {
        call(Rpcs.REPLICA_HELLO, hello("cluster", 1, "aa"));
        held(SESSION, 7, master.log().startOffset());
        assertThat(fetched).isNotEmpty();
        assertThat(fetched.get(0).epochBefore()).isEqualTo(7);
    }

    private Answer<RangeAnswer> range(long offset, long confirmed, int epoch, String epochId) throws Exception {
        String log = Long.toHexString(master.log().logId());
        return call(Rpcs.REPLICA_RANGE, new RangeHeader(log, offset, confirmed, epoch, epochId));
    }

    @Test
    void givesTheUnitsOfAPlaceToWhoHasItsEpoch() throws Exception {
        ForkAnswer epoch = master.fork(1);
        long end = master.log().endOffset();
        Answer<RangeAnswer> answer = range(0, end, 1, epoch.epochId());
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        assertThat(answer.body()).isEqualTo(master.bytes());
        assertThat(answer.require().endOffset()).isEqualTo(end);
    }

    @Test
    void givesNothingOfAPlaceThatIsAnothersOrNotThere() throws Exception {
        String id = master.fork(1).epochId();
        long end = master.log().endOffset();
        assertThat(range(0, end, 1, "beef").remarkText()).contains("another branch", "beef", id);
        assertThat(range(0, end, 2, id).remarkText()).contains("another branch");
        assertThat(range(0, end, 1, HelloCheck.NONE).remarkText()).contains("another branch");
        assertThat(range(0, end + 1, 1, id).remarkText()).contains("another branch", "" + (end + 1));
        assertThat(range(end, end, 1, id).remarkText()).contains("offset " + end);
        assertThat(range(1, end, 1, id).remarkText()).contains("damaged at offset 1");
    }

    @Test
    void whatIsHeldInAnotherSessionBeginsNothing() throws Exception {
        call(Rpcs.REPLICA_HELLO, hello("cluster", 1, "aa"));
        held(SESSION + 1, 0, 0);
        assertThat(fetched).isEmpty();
    }

    @Test
    void aReplicaWhoseEpochIsAnotherIsNotFed() throws Exception {
        call(Rpcs.REPLICA_HELLO, hello("cluster", 1, "aa"));
        held(SESSION, 7, master.log().endOffset());
        assertThat(fetched).isEmpty();
        assertThat(network.openConnections()).isZero();
    }

    @Test
    void aReplicaThatHoldsMoreThanThereIsIsNotFed() throws Exception {
        call(Rpcs.REPLICA_HELLO, hello("cluster", 1, "aa"));
        held(SESSION, 1, master.log().endOffset() + 1);
        assertThat(fetched).isEmpty();
        assertThat(network.openConnections()).isZero();
    }

    /** Its machine may have gone without a word, and another one come for its id. */
    @Test
    void aReplicaThatIsNotHeardAnyMoreIsLetGo() throws Exception {
        call(Rpcs.REPLICA_HELLO, hello("cluster", 1, "aa"));
        held(SESSION, 0, 0);
        for (int i = 0; i < 14; i++) {
            pass(1_000);
        }
        assertThat(network.openConnections()).isEqualTo(1);
        held(SESSION, 0, 0);
        for (int i = 0; i < 14; i++) {
            pass(1_000);
        }
        assertThat(network.openConnections()).as("heard in between").isEqualTo(1);
        pass(1_500);
        assertThat(network.openConnections()).isZero();
    }

    private void pass(long ms) {
        nowMs += ms;
        network.runUntilIdle(10_000);
        master.step();
        network.runUntilIdle(10_000);
    }
}
