package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.broker.offset.KeptOffsets;
import dev.perigee.protocol.header.offset.MaxOffsetHeader;
import dev.perigee.protocol.header.offset.ResetOffsetHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.view.CheckpointFile;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A slave that becomes the master does not know what the former one confirmed last: no queue offset is given away twice (R23). */
class PromotedSlaveTest {
    private static final Map<String, String> MASTER = Map.of("brokerRole", "ASYNC_MASTER");
    private static final Map<String, String> ACCEPTING_LOSS =
            Map.of("brokerRole", "ASYNC_MASTER", "haAcceptLoss", "true");
    private static final int REACHED_THE_SLAVE = 20;
    private static final int MISSED = 5;
    private static final long HOUR_MS = 3_600_000;

    private final SteppedPair pair = new SteppedPair();

    @BeforeEach
    void start() throws Exception {
        pair.startMaster(MASTER);
        pair.startSlave(Map.of());
        pair.createTopic("T");
        pair.sendMany("T", REACHED_THE_SLAVE);
        pair.level();
    }

    private long queueOffset(Answer<SendMessageResponse> sent) {
        assertThat(sent.code()).as(sent.remarkText()).isZero();
        return sent.require().queueOffset();
    }

    private long sendNext() throws Exception {
        return queueOffset(pair.send(SteppedPair.MASTER_PORT, "T", "next", ""));
    }

    @Test
    void itsMessagesHaveOffsetsBeyondThoseThatItNeverHeardOf() throws Exception {
        for (int i = 0; i < MISSED; i++) {
            CompletableFuture<Answer<SendMessageResponse>> sent = pair.sending("T", "missed");
            pair.passWithoutSlave(20);
            assertThat(sent).isDone();
            assertThat(queueOffset(sent.get())).isEqualTo(REACHED_THE_SLAVE + i);
        }
        pair.stopBoth();
        pair.startSlaveAsMaster(MASTER);
        long first = sendNext();
        assertThat(first).isGreaterThanOrEqualTo(REACHED_THE_SLAVE + MISSED);

        pair.stopMaster();
        pair.startSlaveAsMaster(MASTER);
        assertThat(sendNext()).as("what it wrote itself is known to it").isEqualTo(first + 1);
    }

    /** A group that read there goes on here behind what it has seen, and misses nothing that is sent before it comes. */
    @Test
    void aFormerMasterThatGivesUpWhatThePromotedOneWroteLeavesItsOffsetsOut() throws Exception {
        pair.stopBoth();
        pair.startSlaveAsMaster(MASTER);
        long last = sendNext();
        for (int i = 0; i < MISSED; i++) {
            last = sendNext();
        }
        pair.stopMaster();
        pair.startMaster(ACCEPTING_LOSS);
        long next = sendNext();
        assertThat(next).isGreaterThan(last);

        pair.stopMaster();
        pair.startMaster(MASTER);
        assertThat(sendNext()).as("nothing more is given up").isEqualTo(next + 1);
    }

    @Test
    void offsetsThatConsumersCommittedToItAreItsOwn() throws Exception {
        pair.heartbeat(SteppedPair.MASTER_PORT, "g");
        pair.level();
        pair.stopMaster();
        pair.heartbeat(SteppedPair.SLAVE_PORT, "g");
        assertThat(pair.commit(SteppedPair.SLAVE_PORT, "g", 15).code()).isZero();
        pair.stopSlave();
        assertThat(pair.slaveDisk.exists(KeptOffsets.FILE)).isTrue();
        pair.startSlaveAsMaster(MASTER);
        assertThat(pair.position(SteppedPair.MASTER_PORT, "g")).isEqualTo(15);
        pair.until(() -> !pair.slaveDisk.exists(KeptOffsets.FILE));

        pair.stopMaster();
        pair.startSlaveAsMaster(MASTER);
        assertThat(pair.position(SteppedPair.MASTER_PORT, "g"))
                .as("they are in its log")
                .isEqualTo(15);
    }

    private void keepAnOffset(long offset) throws Exception {
        pair.heartbeat(SteppedPair.MASTER_PORT, "g");
        pair.level();
        pair.stopMaster();
        pair.heartbeat(SteppedPair.SLAVE_PORT, "g");
        assertThat(pair.commit(SteppedPair.SLAVE_PORT, "g", offset).code()).isZero();
    }

    /** The next start would take it over once more, and undo what a tool had reset meanwhile. */
    @Test
    void theFileOfOffsetsGoesAsSoonAsTheDiskLetsIt() throws Exception {
        keepAnOffset(15);
        pair.stopSlave();
        pair.slaveDisk.refuseToDelete(KeptOffsets.FILE, true);
        pair.startSlaveAsMaster(MASTER);
        pair.pass(10_000);
        assertThat(pair.slaveDisk.exists(KeptOffsets.FILE)).isTrue();

        pair.slaveDisk.refuseToDelete(KeptOffsets.FILE, false);
        pair.until(() -> !pair.slaveDisk.exists(KeptOffsets.FILE));
        assertThat(pair.position(SteppedPair.MASTER_PORT, "g")).isEqualTo(15);
    }

    /** Half a second may pass before the file says no more what was reset. */
    @Test
    void aResetThatItHadHeardOfIsNotUndoneByWhatItKeptBefore() throws Exception {
        keepAnOffset(15);
        pair.until(() -> pair.slaveDisk.exists(KeptOffsets.FILE));
        byte[] kept = pair.slaveDisk.content(KeptOffsets.FILE);
        pair.startMaster(MASTER);
        pair.until(() -> position() == 15);
        ResetOffsetHeader back = new ResetOffsetHeader("T", "g", 0, true, 0, 2L);
        assertThat(pair.get(pair.call(SteppedPair.MASTER_PORT, Rpcs.INVOKE_BROKER_TO_RESET_OFFSET, back, null))
                        .code())
                .isZero();
        pair.level();
        pair.stopBoth();
        pair.slaveDisk.put(KeptOffsets.FILE, kept);
        CheckpointFile.deleteAll(pair.slaveDisk);

        pair.startSlaveAsMaster(MASTER);
        pair.pass(2_000);
        assertThat(position()).isEqualTo(2);
    }

    private long position() {
        try {
            return pair.position(SteppedPair.MASTER_PORT, "g");
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** The shift of the former master's clock is none of this one's. */
    @Test
    void whatWaitsIsDueByItsOwnClock() throws Exception {
        pair.clock.setByMs -= HOUR_MS;
        pair.pass(1_000);
        assertThat(pair.send(SteppedPair.MASTER_PORT, "T", "late", "TIMER_DELAY_SEC=10;")
                        .code())
                .isZero();
        pair.level();
        pair.stopBoth();
        pair.clock.setByMs += HOUR_MS;
        pair.startSlaveAsMaster(MASTER);
        pair.pass(2_000);
        long before = maxOffset();
        pair.pass(3_000);
        assertThat(maxOffset()).as("none came early").isEqualTo(before);
        pair.pass(10_000);
        assertThat(maxOffset()).isEqualTo(before + 1);
    }

    private long maxOffset() throws Exception {
        return pair.get(pair.call(
                        SteppedPair.MASTER_PORT, Rpcs.GET_MAX_OFFSET, new MaxOffsetHeader("T", 0, true), null))
                .require()
                .offset();
    }

    @Test
    void itsFolderIsNotThatOfABrokerAlone() throws Exception {
        pair.stopBoth();
        assertThatThrownBy(() -> pair.startSlaveAsMaster(Map.of("haListenPort", "")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("brokerRole");
        pair.startSlaveAsMaster(MASTER);
        assertThat(sendNext()).isGreaterThanOrEqualTo(REACHED_THE_SLAVE);
        pair.stopMaster();
        pair.startSlaveAsMaster(Map.of("haListenPort", ""));
        sendNext();
    }

    @Test
    void restartsOfTheMasterAndOfTheSlaveLeaveNoGap() throws Exception {
        pair.stopSlave();
        pair.startSlave(Map.of());
        pair.level();
        pair.stopMaster();
        pair.startMaster(MASTER);
        assertThat(sendNext()).isEqualTo(REACHED_THE_SLAVE);
        pair.level();
        pair.stopMaster();
        pair.startMaster(ACCEPTING_LOSS);
        assertThat(sendNext()).as("the slave was there, so nothing is given up").isEqualTo(REACHED_THE_SLAVE + 1);
    }
}
