package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.header.replica.RangeAnswer;
import dev.perigee.protocol.header.replica.RangeHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.remoting.FreePorts;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.log.CommitLog;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A master and a slave with threads, sockets and files. */
class BrokerPairOverSocketsTest {
    private static final int SENDERS = 4;
    private static final int MESSAGES = 100;
    private static final int MANY_ROUNDS = 20;
    /** Longer than a busy machine takes, so that no answer but SEND_OK is right; shorter than {@link TestBroker} waits for it. */
    private static final String PATIENCE_MS = "50000";
    /** A slave that stands still for as long as a busy machine lets it stays in the set. */
    private static final String SILENCE_MS = "600000";

    @TempDir
    private Path masterFolder;

    @TempDir
    private Path slaveFolder;

    @TempDir
    private Path emptyFolder;

    private Broker startSlave(int haPort) throws Exception {
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "brokerRole", "SLAVE",
                "brokerId", "1",
                "brokerIP1", "127.0.0.1",
                "listenPort", "0",
                "storePathRootDir", slaveFolder.toString(),
                "haMasterAddress", "127.0.0.1:" + haPort));
        Broker slave = new Broker(BrokerConfig.read(properties), Clock.system());
        slave.start();
        return slave;
    }

    /** Ends when it waits, or has begun. */
    private static void startEmpty(Path folder, String haPort, CompletableFuture<String> waits) throws Exception {
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "brokerRole", "ASYNC_MASTER",
                "brokerIP1", "127.0.0.1",
                "listenPort", "0",
                "storePathRootDir", folder.toString(),
                "haListenPort", haPort));
        try (Broker emptied = new Broker(BrokerConfig.read(properties), Clock.system())) {
            emptied.onWait(line -> {
                waits.complete(line);
                emptied.giveUpStart();
            });
            emptied.start();
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("given up");
        }
    }

    private static List<Integer> sendAll(TestBroker master, int sender) {
        List<Integer> codes = new ArrayList<>();
        try {
            for (int i = 0; i < MESSAGES; i++) {
                codes.add(master.send("T", sender, "m" + i + "x".repeat(i * 50)).code());
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return codes;
    }

    private static byte[] log(Path folder, long end) throws IOException {
        Path file = folder.resolve("commitlog/00000000000000000000");
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "r")) {
            byte[] all = new byte[(int) end];
            bytes.readFully(all);
            return all;
        }
    }

    /** The first units of a broker's log, as one with a damaged log asks for them. */
    private static byte[] rangeOf(TestBroker asking, Broker asked) throws Exception {
        CommitLog log = asked.log();
        Epoch epoch = log.extent().epochs().epochs().get(0);
        RangeHeader header =
                new RangeHeader(Long.toHexString(log.logId()), 0, 1, epoch.number(), Long.toHexString(epoch.id()));
        Answer<RangeAnswer> answer = asking.client.callBlocking(
                asked.address(), Rpcs.REPLICA_RANGE, header, null, Deadline.after(Clock.system(), 60_000));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        assertThat(answer.body()).isNotEmpty();
        return answer.body();
    }

    /** R6: it would be another log, and all that was acknowledged in the former one out of reach. */
    @Test
    void aMasterWhoseFolderIsEmptyDoesNotBeginBesideASlaveThatHasALog() throws Exception {
        String haPort = Integer.toString(FreePorts.one());
        Map<String, String> settings =
                Map.of("brokerRole", "ASYNC_MASTER", "haListenPort", haPort, "haAcceptLoss", "true");
        try (Broker slave = startSlave(Integer.parseInt(haPort))) {
            try (TestBroker master = new TestBroker(masterFolder, settings)) {
                assertThat(master.send("T", 0, "once").code()).isZero();
                await().atMost(ONE_MINUTE).until(() -> slave.logEndOffset() == master.broker.logEndOffset());
            }
            long end = slave.logEndOffset();
            CompletableFuture<String> waits = new CompletableFuture<>();
            for (int round = 0; !waits.isDone(); round++) { // a slow slave may take longer than it is given
                assertThat(round).isLessThan(MANY_ROUNDS);
                startEmpty(emptyFolder.resolve("round-" + round), haPort, waits);
            }
            assertThat(waits.getNow("")).contains("folder is empty", "brokerId 1", "ends at " + end);
            assertThat(slave.logEndOffset()).isEqualTo(end);
        }
    }

    private static int inSync(TestBroker master) throws Exception {
        Answer<?> answer = master.client.callBlocking(
                master.broker.address(),
                Rpcs.GET_BROKER_HA_STATUS,
                NoHeader.NONE,
                null,
                Deadline.after(Clock.system(), 60_000));
        return Json.read(answer.body(), HaStatus.class).inSyncSlaveNums();
    }

    /** What consumers committed last is logged by the stop itself. */
    @Test
    void aMasterThatStopsInOrderLeavesItsSlaveAllThatItConfirmed() throws Exception {
        int haPort = FreePorts.one();
        Map<String, String> settings = Map.of(
                "brokerRole",
                "ASYNC_MASTER",
                "haListenPort",
                Integer.toString(haPort),
                "haAcceptLoss",
                "true",
                "shutdownWaitTimeSeconds",
                "60");
        TestBroker master = new TestBroker(masterFolder, settings);
        try (Broker slave = startSlave(haPort)) {
            try (master) {
                for (int i = 0; i < MESSAGES; i++) {
                    assertThat(master.send("T", 0, "m" + i).code()).isZero();
                }
                await().atMost(ONE_MINUTE).until(() -> inSync(master) == 1);
                master.createGroup("g");
                assertThat(master.call(Rpcs.UPDATE_CONSUMER_OFFSET, new UpdateOffsetHeader("g", "T", 0, MESSAGES), null)
                                .code())
                        .isZero();
            }
            long end = master.broker.logEndOffset();
            await().atMost(ONE_MINUTE).until(() -> slave.log().confirmOffset() >= end);
            assertThat(slave.logEndOffset()).isEqualTo(end);
        }
    }

    @Test
    void whatASynchronousMasterAcknowledgesIsInTheFilesOfItsSlave() throws Exception {
        int haPort = FreePorts.one();
        Map<String, String> settings = Map.of(
                "brokerRole",
                "SYNC_MASTER",
                "haListenPort",
                Integer.toString(haPort),
                "slaveTimeout",
                PATIENCE_MS,
                "haMaxTimeSlaveNotCatchup",
                SILENCE_MS,
                "syncFlushTimeout",
                PATIENCE_MS,
                "waitTimeMillsInSendQueue",
                PATIENCE_MS);
        try (TestBroker master = new TestBroker(masterFolder, settings)) {
            for (int round = 0; round < 3; round++) {
                try (Broker slave = startSlave(haPort)) {
                    await().atMost(ONE_MINUTE)
                            .until(() -> master.send("T", 0, "are you there?").code() == 0);
                    List<CompletableFuture<List<Integer>>> senders = new ArrayList<>();
                    for (int i = 0; i < SENDERS; i++) {
                        int sender = i;
                        senders.add(CompletableFuture.supplyAsync(() -> sendAll(master, sender)));
                    }
                    for (CompletableFuture<List<Integer>> sender : senders) {
                        assertThat(sender.get()).hasSize(MESSAGES).containsOnly(0);
                    }
                    await().atMost(ONE_MINUTE).until(() -> slave.logEndOffset() == master.broker.logEndOffset());
                    long end = slave.logEndOffset();
                    assertThat(log(slaveFolder, end)).isEqualTo(log(masterFolder, end));
                    assertThat(rangeOf(master, slave)).isEqualTo(rangeOf(master, master.broker));
                }
            }
        }
    }
}
