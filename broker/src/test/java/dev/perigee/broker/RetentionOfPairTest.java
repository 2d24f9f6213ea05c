package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.offset.QueueHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.log.CommitLog;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the master lets go because it has expired goes on its slave as well, whenever that hears of it (R17). */
class RetentionOfPairTest {
    private static final int SEGMENT_BYTES = 1 << 20;
    private static final int BODY_BYTES = 60_000;
    /** More than two segments. */
    private static final int MANY = 50;

    private static final long EXPIRED_MS = 100L * 3_600_000;

    private final SteppedPair pair = new SteppedPair();

    @BeforeEach
    void start() throws Exception {
        pair.startMaster(Map.of());
        pair.startSlave(Map.of());
        pair.createTopic("T");
        send(0);
        pair.level();
    }

    private void send(int from) throws Exception {
        String filling = "x".repeat(BODY_BYTES);
        for (int i = from; i < from + MANY; i++) {
            assertThat(pair.send(SteppedPair.MASTER_PORT, "T", "m" + i + filling, "")
                            .code())
                    .isZero();
        }
    }

    /** All that was there expires, and what was sent after that does not. */
    private void trim() throws Exception {
        pair.clock.nowMs += EXPIRED_MS;
        pair.pass(20);
        send(MANY);
        assertThat(pair.get(pair.call(SteppedPair.MASTER_PORT, Rpcs.DELETE_EXPIRED_COMMITLOG, NoHeader.NONE, null))
                        .code())
                .isZero();
        pair.until(() -> pair.master().log().startOffset() >= 2 * SEGMENT_BYTES);
    }

    private static void untilTrimmedAlike(SteppedPair pair, CommitLog slave) {
        pair.until(() -> slave.confirmOffset() == pair.master().log().endOffset()
                && slave.startOffset() == pair.master().log().startOffset());
    }

    private long minOffset(int port) throws Exception {
        return pair.get(pair.call(port, Rpcs.GET_MIN_OFFSET, new QueueHeader("T", 0), null))
                .require()
                .offset();
    }

    private String firstAt(int port, long offset) throws Exception {
        Answer<PullMessageResponse> pulled = pair.get(pair.pull(port, "g", offset, 0));
        assertThat(pulled.code()).as(pulled.remarkText()).isZero();
        String body = TestBroker.bodies(pulled).get(0);
        return body.substring(0, body.indexOf('x'));
    }

    @Test
    void aSlaveThatIsThereLetsTheSameGo() throws Exception {
        trim();
        untilTrimmedAlike(pair, pair.slave().log());
        assertThat(minOffset(SteppedPair.SLAVE_PORT)).isPositive().isEqualTo(minOffset(SteppedPair.MASTER_PORT));
    }

    @Test
    void aSlaveThatWasDownLetsItGoWhenItIsBack() throws Exception {
        pair.stopSlave();
        trim();
        pair.startSlave(Map.of());
        untilTrimmedAlike(pair, pair.slave().log());
        assertThat(minOffset(SteppedPair.SLAVE_PORT)).isEqualTo(minOffset(SteppedPair.MASTER_PORT));
    }

    @Test
    void aSlaveThatIsFilledFromATrimmedLogHasItAfterARestart() throws Exception {
        trim();
        pair.stopSlave();
        CrashingDisk empty = new CrashingDisk(new Random(3));
        Broker filled = pair.startSecondSlave(empty);
        untilTrimmedAlike(pair, filled.log());
        pair.pass(1_500);
        filled.close();
        pair.pass(20);

        Broker again = pair.startSecondSlave(empty);
        assertThat(again.log().startOffset()).isEqualTo(pair.master().log().startOffset());
        send(2 * MANY);
        untilTrimmedAlike(pair, again.log());
    }

    @Test
    void aSlaveIsPromotedBehindATrim() throws Exception {
        trim();
        untilTrimmedAlike(pair, pair.slave().log());
        long min = minOffset(SteppedPair.MASTER_PORT);
        long start = pair.master().log().startOffset();
        pair.stopBoth();
        pair.startSlaveAsMaster(Map.of("brokerRole", "ASYNC_MASTER"));
        pair.until(() -> pair.master().isServing());
        assertThat(minOffset(SteppedPair.MASTER_PORT)).isEqualTo(min);
        assertThat(firstAt(SteppedPair.MASTER_PORT, min)).isEqualTo("m" + min);
        pair.pass(1_000);
        assertThat(pair.master().log().startOffset()).isEqualTo(start);
        send(2 * MANY);
    }

    @Test
    void aReaderAtTheSlaveIsToldWhereTheRestBegins() throws Exception {
        trim();
        untilTrimmedAlike(pair, pair.slave().log());
        pair.pass(1_500);
        pair.stopMaster();
        pair.pass(10);
        Answer<PullMessageResponse> pulled = pair.get(pair.pull(SteppedPair.SLAVE_PORT, "g", 0, 0));
        assertThat(pulled.code()).isEqualTo(ResponseCode.PULL_OFFSET_MOVED);
        long next = pulled.require().nextBeginOffset();
        assertThat(next).isEqualTo(minOffset(SteppedPair.SLAVE_PORT));
        assertThat(firstAt(SteppedPair.SLAVE_PORT, next)).isEqualTo("m" + next);
    }
}
