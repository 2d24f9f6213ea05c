package dev.perigee.broker;

import static dev.perigee.broker.SteppedPair.MASTER_PORT;
import static dev.perigee.broker.SteppedPair.SLAVE_PORT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.offset.KeptOffsets;
import dev.perigee.protocol.header.offset.ResetOffsetHeader;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.replica.follow.ConfirmedFile;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.view.CheckpointFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a slave knows and was given while its master is away outlives it. */
class SlaveWithoutMasterTest {
    private static final int MESSAGES = 20;
    private static final int MORE_THAN_ONE_CALL_TAKES = 2_100;

    private final SteppedPair pair = new SteppedPair();

    @BeforeEach
    void start() throws Exception {
        pair.startMaster(Map.of());
        pair.createTopic("T");
        pair.sendMany("T", MESSAGES);
        pair.heartbeat(MASTER_PORT, "g");
        pair.startSlave(Map.of());
        pair.level();
    }

    private long keptConfirmed() {
        try {
            return ConfirmedFile.confirmedIn(pair.slaveDisk).offset();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The file as its Javadoc draws it. */
    private void keep(long logId, long confirmOffset, long offset) throws IOException {
        keep(logId, confirmOffset, confirmOffset, offset);
    }

    private void keep(long logId, long confirmOffset, long appliedOffset, long offset) throws IOException {
        byte[] json = ("{\"logId\":" + logId + ",\"confirmOffset\":" + confirmOffset + ",\"appliedOffset\":"
                        + appliedOffset + ",\"entries\":[{\"g\":\"g\",\"t\":\"T\",\"q\":0,\"o\":" + offset + "}]}")
                .getBytes(StandardCharsets.UTF_8);
        CRC32C crc = new CRC32C();
        crc.update(json);
        ByteBuffer file = ByteBuffer.allocate(16 + json.length);
        file.put("PERIOFF1".getBytes(StandardCharsets.US_ASCII))
                .putLong(crc.getValue())
                .put(json)
                .flip();
        pair.slaveDisk.replace(KeptOffsets.FILE, file);
    }

    private String kept() throws IOException {
        try (DiskFile file = pair.slaveDisk.openRead(KeptOffsets.FILE)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
            file.read(bytes, 0);
            return new String(bytes.array(), StandardCharsets.UTF_8);
        }
    }

    private long positionAtSlave() throws Exception {
        return pair.position(SLAVE_PORT, "g");
    }

    @Test
    void whatItWasToldLastIsKeptThoughItsMasterIsGone() throws Exception {
        pair.until(() -> keptConfirmed() == pair.slave().log().confirmOffset());
        pair.sendMany("T", 1);
        pair.level();
        pair.stopMaster();
        pair.pass(2_000);
        assertThat(keptConfirmed()).isEqualTo(pair.slave().log().confirmOffset());
    }

    /** R26: whoever was told an offset goes on there, also after a kill. */
    @Test
    void anOffsetIsAnsweredOnceItOutlivesTheSlave() throws Exception {
        pair.stopMaster();
        pair.heartbeat(SLAVE_PORT, "g");
        pair.pass(600);
        assertThat(pair.commit(SLAVE_PORT, "g", 7).code()).isZero();
        assertThat(positionAtSlave()).isEqualTo(7);
        assertThat(kept())
                .contains("\"o\":7")
                .contains("\"appliedOffset\":" + pair.slave().log().confirmOffset());
    }

    /** The log of the slave has the reset, and its views had not come so far when the offset was kept. */
    @Test
    void aResetThatTheViewsDidNotShowYetIsNotUndoneByWhatWasKept() throws Exception {
        assertThat(pair.commit(MASTER_PORT, "g", 9).code()).isZero();
        pair.until(() -> positionAt(MASTER_PORT) == 9);
        pair.level();
        long shown = pair.slave().log().confirmOffset();
        ResetOffsetHeader back = new ResetOffsetHeader("T", "g", 0, true, 0, 2L);
        assertThat(pair.get(pair.call(MASTER_PORT, Rpcs.INVOKE_BROKER_TO_RESET_OFFSET, back, null))
                        .code())
                .isZero();
        pair.until(() -> positionAt(SLAVE_PORT) == 2);
        pair.level();
        long logId = pair.slave().log().logId();
        long confirmed = pair.slave().log().confirmOffset();
        pair.until(() -> keptConfirmed() == confirmed);
        pair.stopBoth();
        keep(logId, confirmed, shown, 15);
        CheckpointFile.deleteAll(pair.slaveDisk);
        pair.startSlave(Map.of());
        assertThat(positionAtSlave()).isEqualTo(2);
    }

    private long positionAt(int port) {
        try {
            return pair.position(port, "g");
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void anOffsetBeyondWhatTheLogShowsAfterAKillIsKept() throws Exception {
        pair.stopMaster();
        long logId = pair.slave().log().logId();
        pair.stopSlave();
        keep(logId, Long.MAX_VALUE, MESSAGES + 5);
        pair.startSlave(Map.of());
        assertThat(positionAtSlave()).isEqualTo(MESSAGES + 5);
    }

    @Test
    void anOffsetThatItsQueueLostMeanwhileIsNot() throws Exception {
        pair.stopMaster();
        long logId = pair.slave().log().logId();
        pair.stopSlave();
        keep(logId, 1, MESSAGES + 5);
        pair.startSlave(Map.of());
        assertThat(positionAtSlave()).isLessThan(MESSAGES);
    }

    @Test
    void offsetsOfAnotherLogAreNotKept() throws Exception {
        pair.stopMaster();
        long logId = pair.slave().log().logId();
        pair.stopSlave();
        keep(logId + 1, Long.MAX_VALUE, MESSAGES - 5);
        pair.startSlave(Map.of());
        assertThat(positionAtSlave()).isLessThan(MESSAGES - 5);
    }

    /** They go up in more than one call. */
    @Tag("full")
    @Test
    void aMasterThatServesHasAllOffsetsHoweverManyThereAre() throws Exception {
        int groups = MORE_THAN_ONE_CALL_TAKES;
        for (int i = 0; i < groups; i++) {
            pair.heartbeat(MASTER_PORT, "many-" + i);
        }
        pair.level();
        pair.stopMaster();
        for (int i = 0; i < groups; i++) {
            assertThat(pair.commit(SLAVE_PORT, "many-" + i, 7).code()).isZero();
        }
        pair.startMaster(Map.of());
        for (int i = 0; i < groups; i++) {
            assertThat(pair.position(MASTER_PORT, "many-" + i))
                    .as("group %d", i)
                    .isEqualTo(7);
        }
    }

    /** What happened at the master meanwhile counts first. */
    @Test
    void anOffsetOfATopicThatWasMadeAnewIsNotHandedUp() throws Exception {
        pair.stopMaster();
        pair.heartbeat(SLAVE_PORT, "g");
        assertThat(pair.commit(SLAVE_PORT, "g", 15).code()).isZero();
        pair.stopSlave();
        pair.startMaster(Map.of());
        pair.createTopic("U");
        for (int i = 0; i < 60; i++) { // so that the slave is not there at once
            assertThat(pair.send(MASTER_PORT, "U", "x".repeat(60_000), "").code())
                    .isZero();
        }
        assertThat(pair.get(pair.call(MASTER_PORT, Rpcs.DELETE_TOPIC_IN_BROKER, new TopicHeader("T"), null))
                        .code())
                .isZero();
        pair.createTopic("T");
        pair.sendMany("T", MESSAGES);
        long before = pair.position(MASTER_PORT, "g");
        pair.startSlave(Map.of());
        pair.level();
        pair.pass(2_000);
        assertThat(pair.position(MASTER_PORT, "g")).isEqualTo(before).isLessThan(15);
        assertThat(pair.slaveDisk.exists(KeptOffsets.FILE)).isFalse();
    }
}
