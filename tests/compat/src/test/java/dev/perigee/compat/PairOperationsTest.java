package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.harness.JavaProcess;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.StockProducer;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.replica.follow.ConfirmedFile;
import dev.perigee.store.disk.FileDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What operators do with a pair, as docs/operations.md says, while stock clients go on. */
@Tag("full")
final class PairOperationsTest {
    private static final int MANY = 100;
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    /** What a process ends with that SIGTERM ended. */
    private static final int TERMINATED = 143;

    @TempDir
    private Path folder;

    private RunningPair pair;

    @BeforeEach
    void start() throws Exception {
        pair = new RunningPair(folder);
    }

    @AfterEach
    void stop() {
        pair.close();
    }

    private StockDriver driver() throws IOException {
        return StockDriver.impatient(StockPeer.CLIENT5, folder.resolve("driver"), pair.namesrv());
    }

    private static void awaitAll(StockConsumer consumer, List<String> bodies) {
        await("every message")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(Set.copyOf(consumer.bodies())).containsAll(bodies));
    }

    @Test
    void aPromotedSlaveHasAllThatWasAcknowledgedAndTheFormerMasterBecomesItsSlave() throws Exception {
        PerigeeProcess former = pair.first();
        PerigeeProcess next = pair.second();
        try (StockDriver driver = driver();
                StockConsumer consumer = driver.consumer("promoted", RunningPair.TOPIC)) {
            StockProducer producer = driver.producer("promoting-senders");
            RunningPair.send(producer, 0, MANY);

            former.kill();
            next.close();
            next.reconfigure(Map.of("brokerRole", "SYNC_MASTER", "brokerId", "0"));
            next.start();

            RunningPair.awaitSent(producer, MANY);
            JavaProcess second = former.launch();
            assertThat(second.awaitExit(PATIENCE)).as("two masters of one name").isEqualTo(1);
            assertThat(second.stderr())
                    .contains("has a master at " + next.target().broker())
                    .contains(former.target().broker());
            former.reconfigure(Map.of("brokerRole", "SLAVE", "brokerId", "1"));
            former.start();
            pair.awaitInSync(next);
            RunningPair.send(producer, MANY + 1, 2 * MANY);
            awaitAll(consumer, RunningPair.bodies(0, 2 * MANY));
            assertSameLogs(next, former);
        }
    }

    @Test
    void aMasterThatWaitsForItsSlaveStopsInOrderAndStartsWithoutItWhenLossIsAccepted() throws Exception {
        PerigeeProcess master = pair.first();
        try (StockDriver driver = driver();
                StockConsumer consumer = driver.consumer("forlorn", RunningPair.TOPIC)) {
            StockProducer producer = driver.producer("forlorn-senders");
            RunningPair.send(producer, 0, MANY);
            pair.second().kill();
            master.kill();

            JavaProcess waiting = master.launch();
            await("it says what it waits for")
                    .atMost(PATIENCE)
                    .until(() -> waiting.stderr().contains("the start waits for replicas"));
            assertThat(waiting.stderr()).contains("brokerId 1").contains("--accept-loss");
            waiting.terminate();
            assertThat(waiting.awaitExit(PATIENCE)).isEqualTo(TERMINATED);
            assertThat(waiting.stderr()).contains("the start was given up");
            assertThat(waiting.stdout()).doesNotContain("ready");

            master.start("--accept-loss");
            assertThat(master.process().stderr()).doesNotContain("the start waits for");
            RunningPair.awaitSent(producer, MANY);
            awaitAll(consumer, RunningPair.bodies(0, MANY + 1));
        }
    }

    /** R28: below what is confirmed both have the same, so what the disk of one has lost is the other's. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDamagedLogIsMendedByTheOther(boolean isMaster) throws Exception {
        PerigeeProcess damaged = isMaster ? pair.first() : pair.second();
        try (StockDriver driver = driver()) {
            StockProducer producer = driver.producer("mended-senders");
            RunningPair.send(producer, 0, MANY);
            pair.awaitLevel(pair.first(), pair.second());
            awaitKeptAsConfirmed(damaged);
            damaged.close();
            damage(damaged, "message " + MANY / 2);

            damaged.start();

            pair.awaitInSync(pair.first());
            RunningPair.awaitSent(producer, MANY);
            assertSameLogs(pair.first(), pair.second());
            try (StockConsumer consumer = driver.consumer("mended", RunningPair.TOPIC)) {
                awaitAll(consumer, RunningPair.bodies(0, MANY + 1));
            }
        }
    }

    /** What a broker does not know to be confirmed it does not take from another; it keeps that twice a second. */
    private void awaitKeptAsConfirmed(PerigeeProcess broker) throws Exception {
        long end = end(pair.first());
        FileDisk disk = new FileDisk(store(broker));
        await("the confirm offset")
                .atMost(PATIENCE)
                .until(() -> ConfirmedFile.confirmedIn(disk).offset() >= end);
    }

    private Path store(PerigeeProcess broker) {
        return folder.resolve(broker == pair.first() ? "master" : "slave").resolve("store");
    }

    private Path logFile(PerigeeProcess broker) {
        return store(broker).resolve("commitlog").resolve("00000000000000000000");
    }

    private long end(PerigeeProcess master) throws Exception {
        return pair.admin().brokers().haStatus(master.target().broker()).masterCommitLogMaxOffset();
    }

    /** Up to where the master's ends now; it may grow meanwhile. */
    private void assertSameLogs(PerigeeProcess master, PerigeeProcess slave) throws Exception {
        int end = (int) end(master);
        pair.awaitLevel(master, slave);
        assertThat(Arrays.copyOf(Files.readAllBytes(logFile(slave)), end))
                .isEqualTo(Arrays.copyOf(Files.readAllBytes(logFile(master)), end));
    }

    /** Turns a bit of that body around. A start reads only what no view has, so a view goes: then it reads all. */
    private void damage(PerigeeProcess broker, String body) throws IOException {
        Path file = logFile(broker);
        byte[] bytes = Files.readAllBytes(file);
        int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf(body);
        assertThat(at).as(body).isPositive();
        bytes[at] ^= 1;
        Files.write(file, bytes, StandardOpenOption.WRITE);
        try (Stream<Path> parts = Files.walk(store(broker).resolve("consumequeue"))) {
            for (Path part : parts.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(part);
            }
        }
    }
}
