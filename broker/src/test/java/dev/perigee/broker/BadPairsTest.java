package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.recovery.LogCut;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** Brokers that are no pair say so, both of them and with what each has, and keep every byte. */
class BadPairsTest {
    private static final Map<String, String> MASTER = Map.of("brokerRole", "ASYNC_MASTER");
    private static final int SEGMENT_BYTES = 1 << 20;
    private static final int MANY = 20;
    /** In which a replica asks a few times. */
    private static final int WHILE_MS = 3_000;

    private final SteppedPair pair = new SteppedPair();
    private final ListAppender<ILoggingEvent> said = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.perigee.replica");

    @BeforeEach
    void listen() {
        said.start();
        logger.addAppender(said);
    }

    @AfterEach
    void listenNoMore() {
        logger.detachAppender(said);
    }

    private static byte[] log(Disk disk) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (String name : disk.list("commitlog")) {
            ByteBuffer bytes = ByteBuffer.allocate(SEGMENT_BYTES);
            try (DiskFile file = disk.openRead("commitlog/" + name)) {
                file.read(bytes, 0);
            }
            all.write(bytes.array());
        }
        return all.toByteArray();
    }

    private void level() throws Exception {
        pair.startMaster(MASTER);
        pair.startSlave(Map.of());
        pair.createTopic("T");
        pair.sendMany("T", MANY);
        pair.level();
    }

    /** A line of that event has all of that: {@code replica_refused} is the master's, {@code following_ended} the slave's. */
    private void assertSaid(String event, String... parts) {
        assertThat(List.copyOf(said.list))
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.startsWith("event=" + event))
                .anySatisfy(line -> assertThat(line).contains(parts));
    }

    /** The slave comes with more settings, and nothing is fed to it, nor cut from it. */
    private void assertRefused(Map<String, String> more, String... both) throws Exception {
        byte[] had = log(pair.slaveDisk);
        byte[] masterHad = log(pair.masterDisk);
        pair.startSlave(more);
        pair.pass(WHILE_MS);
        assertThat(log(pair.slaveDisk)).isEqualTo(had);
        assertThat(log(pair.masterDisk)).isEqualTo(masterHad);
        assertSaid("following_ended", both);
    }

    @ParameterizedTest
    @CsvSource({"brokerClusterName, DefaultCluster", "brokerName, "})
    void aSlaveOfAnotherName(String key, String known) throws Exception {
        level();
        pair.stopSlave();
        assertRefused(Map.of(key, "elsewhere"), key, "elsewhere", known == null ? "master" : known);
        assertSaid("replica_refused", key, "elsewhere");
    }

    @Test
    void aSlaveWithTheLogOfAnotherCluster() throws Exception {
        pair.startSlaveAsMaster(MASTER);
        pair.until(() -> pair.master().isServing());
        pair.createTopic("T");
        pair.sendMany("T", MANY);
        String theirs = Long.toHexString(pair.master().log().logId());
        pair.stopMaster();
        pair.startMaster(MASTER);
        pair.createTopic("T");
        String own = Long.toHexString(pair.master().log().logId());
        assertRefused(Map.of(), "log id", theirs, own);
        assertSaid("replica_refused", "log id", theirs, own);
    }

    /** What its master lost was told to it as confirmed. */
    @Test
    void aSlaveWithALongerLogThanItsMaster() throws Exception {
        level();
        CommitLog log = pair.master().log();
        long cutAt = log.endOffset();
        pair.sendMany("T", MANY);
        pair.level();
        long end = pair.slave().log().endOffset();
        pair.stopSlave();
        pair.stopMaster();
        LogCut.run(pair.masterDisk, cutAt, SEGMENT_BYTES);
        pair.startMaster(MASTER); // its slave does not come in time
        assertRefused(Map.of(), Long.toString(end));
    }

    @Test
    void aSlaveIdThatIsUsedTwice() throws Exception {
        level();
        CrashingDisk disk = new CrashingDisk(new Random(3));
        Broker second = pair.startSecondSlave(disk);
        pair.sendMany("T", 1);
        pair.pass(WHILE_MS);
        assertThat(second.log().endOffset()).isZero();
        assertThat(pair.slave().log().endOffset())
                .as("the first one goes on")
                .isEqualTo(pair.master().log().endOffset());
        assertSaid("replica_refused", "brokerId=1");
        assertSaid("following_ended", "brokerId 1");
    }

    /** R6: what one of them has, and only that one, must not count for the other. */
    @ParameterizedTest
    @CsvSource({"1, is there twice", "2, brokerId 1 (127.0.0.1) and brokerId 2 (127.0.0.1)"})
    void aSlaveWhoseFolderIsACopyOfTheOthers(String brokerId, String text) throws Exception {
        level();
        pair.stopSlave();
        CrashingDisk copy = new CrashingDisk(new Random(4));
        copy.putAll(pair.slaveDisk);
        pair.startSlave(Map.of());
        pair.level();
        byte[] had = log(copy);
        Broker second = pair.startSecondSlave(copy, Map.of("brokerId", brokerId));
        pair.sendMany("T", 1);
        pair.pass(WHILE_MS);
        assertThat(log(copy)).isEqualTo(had);
        assertThat(pair.slave().log().endOffset())
                .as("the first one goes on")
                .isEqualTo(pair.master().log().endOffset());
        assertSaid("replica_refused", text, "node-id");
        assertSaid("following_ended", text, "node-id");
        pair.stopSlave();
        pair.until(() -> second.log().endOffset() == pair.master().log().endOffset());
    }
}
