package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.call.Answer;
import dev.perigee.replica.KeptRefusal;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.view.CheckpointFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A former master that comes back as a slave gives up nothing that it confirmed, though its new master never had it. */
class FormerMasterTest {
    private static final Map<String, String> ASYNC = Map.of("brokerRole", "ASYNC_MASTER");
    private static final Map<String, String> SYNC = Map.of("brokerRole", "SYNC_MASTER", "slaveTimeout", "200");
    private static final int SILENCE_MS = 15_000;

    private final SteppedPair pair = new SteppedPair();

    private void start(Map<String, String> role) throws Exception {
        pair.startMaster(role);
        pair.startSlave(Map.of());
        pair.createTopic("T");
        pair.level();
        pair.pass(1_000); // the slave is in sync
        pair.sendMany("T", 10);
        pair.level();
    }

    private void endBoth() throws IOException {
        pair.stopBoth();
        forgetLast();
    }

    /** As by a kill: what was confirmed last is not kept. */
    private void forgetLast() throws IOException {
        pair.masterDisk.delete("confirmed");
        CheckpointFile.deleteAll(pair.masterDisk);
    }

    private long endOfFormer() {
        return pair.slave().log().endOffset();
    }

    private String refusal() throws IOException {
        pair.until(() -> pair.masterDisk.exists(KeptRefusal.FILE));
        return new String(pair.masterDisk.content(KeptRefusal.FILE), StandardCharsets.UTF_8);
    }

    private void assertRefusedAt(long end) throws Exception {
        pair.startMasterAsSlave(Map.of());
        assertThat(refusal()).contains(Long.toString(end)).contains("empty");
        pair.pass(3_000);
        assertThat(endOfFormer()).as("nothing is cut").isEqualTo(end);
        pair.stopSlave();
        pair.startMasterAsSlave(Map.of());
        pair.pass(3_000);
        assertThat(endOfFormer()).as("nor by another start").isEqualTo(end);
        pair.stopSlave();

        Broker emptied = pair.startSecondSlave(new CrashingDisk(new Random(3)));
        pair.until(() -> emptied.log().confirmOffset() == pair.master().log().endOffset());
    }

    @Test
    void whatAnAsynchronousMasterAcknowledgedAndItsSlaveNeverHadIsNotCut() throws Exception {
        start(ASYNC);
        CompletableFuture<Answer<SendMessageResponse>> sent = pair.sending("T", "alone");
        pair.passWithoutSlave(20);
        assertThat(sent).isDone();
        assertThat(sent.get().code()).isZero();
        long end = pair.master().log().endOffset();
        endBoth();
        pair.startSlaveAsMaster(ASYNC);
        pair.pass(2_000);
        pair.sendMany("T", 30);
        assertRefusedAt(end);
    }

    @Test
    void whatASynchronousMasterConfirmedWithoutItsSlaveIsNotCut() throws Exception {
        start(SYNC);
        pair.stopSlave();
        pair.pass(SILENCE_MS + 1_000);
        assertThat(pair.send(SteppedPair.MASTER_PORT, "T", "alone", "").code())
                .isEqualTo(ResponseCode.SLAVE_NOT_AVAILABLE);
        long end = pair.master().log().endOffset();
        pair.stopMaster();
        forgetLast();
        pair.startSlaveAsMaster(Map.of("brokerRole", "SYNC_MASTER", "slaveTimeout", "200", "haAcceptLoss", "true"));
        pair.until(() -> pair.master().isServing());
        for (int i = 0; i < 20; i++) {
            pair.send(SteppedPair.MASTER_PORT, "T", "after", "");
        }
        assertRefusedAt(end);
    }

    @Test
    void whatASynchronousMasterNeverConfirmedIsCut() throws Exception {
        start(SYNC);
        pair.pass(1_000);
        CompletableFuture<Answer<SendMessageResponse>> sent = pair.sending("T", "of unknown outcome");
        pair.passWithoutSlave(20);
        assertThat(sent).isNotDone();
        long end = pair.master().log().endOffset();
        assertThat(end).isGreaterThan(pair.slave().log().endOffset());
        endBoth();
        pair.startSlaveAsMaster(Map.of("brokerRole", "SYNC_MASTER", "slaveTimeout", "200", "haAcceptLoss", "true"));
        pair.until(() -> pair.master().isServing());
        pair.startMasterAsSlave(Map.of());
        pair.until(() -> endOfFormer() == pair.master().log().endOffset());
        pair.level();
    }
}
