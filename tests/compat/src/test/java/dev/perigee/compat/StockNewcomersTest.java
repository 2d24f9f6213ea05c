package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.harness.StockCluster;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.Target;
import dev.perigee.harness.own.PerigeeProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A stock consumer of which nothing is set but what it reads joins a group whose members run already. Each does so as the first thing in a JVM
 * of its own, for there a start is slow, and what it is told meets it half done.
 */
@Tag("full")
final class StockNewcomersTest {
    private static final String TOPIC = "joined";
    private static final String GROUP = "joiners";
    private static final int QUEUES = 8;
    private static final int JOINS = 3;
    /** A stock client looks by itself after twenty seconds: sooner it has queues only because it was told. */
    private static final long SOON_MS = 15_000;

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource(names = {"CLIENT5", "CLIENT4"})
    void ownsItsQueuesBeforeItWouldLookByItself(StockPeer newcomer) throws Exception {
        try (PerigeeProcess perigee = PerigeeProcess.up(folder.resolve("perigee"))) {
            List<Long> waitedMs = joins(newcomer, perigee.target());
            System.out.println(newcomer + " at Perigee has queues after " + waitedMs + " ms");
            assertThat(waitedMs.stream().sorted().toList().get(JOINS / 2))
                    .as("most of %s", waitedMs)
                    .isLessThan(SOON_MS);
        }
    }

    /** For comparison; how soon is the stock broker's affair. */
    @Test
    void ownsItsQueuesInTheEndAtAStockBrokerToo() throws Exception {
        try (StockCluster stock = new StockCluster(folder.resolve("stock")).start()) {
            List<Long> waitedMs = joins(StockPeer.CLIENT5, stock.target());
            System.out.println("CLIENT5 at a stock broker has queues after " + waitedMs + " ms");
            assertThat(waitedMs).allSatisfy(ms -> assertThat(ms).isLessThan(PATIENCE.toMillis()));
        }
    }

    private List<Long> joins(StockPeer newcomer, Target target) throws Exception {
        OwnBench bench = new OwnBench(target, folder);
        String topic = bench.topic(TOPIC, QUEUES);
        List<Long> waitedMs = new ArrayList<>();
        try (StockDriver resident =
                StockDriver.impatient(StockPeer.CLIENT4, folder.resolve("resident"), target.namesrv())) {
            StockConsumer member = resident.consumer(GROUP, topic);
            awaitQueues(member, topic);
            for (int i = 0; i < JOINS; i++) {
                try (StockDriver joiner = StockDriver.start(newcomer, folder.resolve("joiner" + i), target.namesrv())) {
                    StockConsumer consumer = joiner.consumer(GROUP, topic);
                    waitedMs.add(awaitQueues(consumer, topic));
                    consumer.close();
                }
            }
        }
        return waitedMs;
    }

    /** How long that took, in milliseconds; as long as it was waited for when there came none. */
    private static long awaitQueues(StockConsumer consumer, String topic) {
        long beganNs = System.nanoTime();
        try {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> consumer.owned().stream()
                            .anyMatch(queue -> queue.topic().equals(topic)));
        } catch (ConditionTimeoutException none) {
            return PATIENCE.toMillis();
        }
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs);
    }
}
