package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.harness.Received;
import dev.perigee.harness.Sent;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.StockProducer;
import dev.perigee.harness.own.PerigeeProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Check K09 with stock clients of both generations: delayed messages, the broker killed twice while they wait. The same with Perigee's own
 * producer is {@code DelaysSurviveSigkillTest} in {@code tests/it}.
 */
@Tag("full")
class StockDelaysSurviveSigkillTest {
    private static final int SECONDS = 20;
    private static final int MESSAGES_PER_SECOND_AND_CLIENT = 250;
    private static final int MESSAGES = 2 * SECONDS * MESSAGES_PER_SECOND_AND_CLIENT;
    private static final long LEAD_MS = 15_000;
    private static final long WAIT_MS = 10_000;
    private static final long NEAR_A_KILL_MS = 2_000;
    /** How long a broker on a busy machine may take for what it was about to do when it was killed. */
    private static final long AFTER_A_START_MS = 15_000;

    private static final String TOPIC = "stock-delays";

    /** The lead, the seconds over which they are due, and as much again and more for a busy machine. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    private Path folder;

    /** From body to the earliest time at which it may come. */
    private final Map<String, Long> dueMs = new ConcurrentHashMap<>();

    /** When the broker was away, from and to. */
    private final Map<Long, Long> downMs = new LinkedHashMap<>();

    @Test
    @DisplayName("K09 ten thousand delays of stock producers come in their time though the broker is killed twice")
    void delaysComeInTheirTime() throws Exception {
        try (PerigeeProcess perigee = PerigeeProcess.up(folder.resolve("perigee"));
                StockDriver five = driver(StockPeer.CLIENT5, "five", perigee);
                StockDriver four = driver(StockPeer.CLIENT4, "four", perigee)) {
            try (StockConsumer consumer = five.consumer("delayed-readers", TOPIC)) {
                long beginMs = System.currentTimeMillis() + LEAD_MS;
                sendAll(five, four, beginMs);
                int delivered = killAfter(MESSAGES / 5, perigee, consumer);
                killAfter((delivered + MESSAGES) / 2, perigee, consumer);
                assertThat(downMs).as("kills while some waited").isNotEmpty();
                await("all delays").atMost(PATIENCE).until(() -> distinct(consumer) == MESSAGES);
                check(consumer.received());
            }
        }
    }

    private StockDriver driver(StockPeer peer, String name, PerigeeProcess perigee) throws Exception {
        return StockDriver.impatient(
                peer, folder.resolve(name), perigee.target().namesrv());
    }

    /** One client says when its messages are due, the other one how long they wait. */
    private void sendAll(StockDriver five, StockDriver four, long beginMs) {
        CompletableFuture.allOf(
                        CompletableFuture.runAsync(() -> sendAbsolute(five.producer("delays-five"), beginMs)),
                        CompletableFuture.runAsync(() -> sendRelative(four.producer("delays-four"), beginMs)))
                .join();
    }

    private void sendAbsolute(StockProducer producer, long beginMs) {
        for (int second = 1; second <= SECONDS; second++) {
            long atMs = dueMs(beginMs, second);
            send(producer, "five " + second, atMs, "TIMER_DELIVER_MS", atMs);
        }
    }

    private void sendRelative(StockProducer producer, long beginMs) {
        for (int second = 1; second <= SECONDS; second++) {
            long atMs = dueMs(beginMs, second);
            send(producer, "four " + second, atMs, "TIMER_DELAY_MS", atMs - System.currentTimeMillis());
        }
    }

    /** Second by second, and on a machine that sends too slowly for it still late enough to wait when all are sent. */
    private static long dueMs(long beginMs, int second) {
        return Math.max(beginMs + 1_000L * second, System.currentTimeMillis() + WAIT_MS);
    }

    private void send(StockProducer producer, String body, long atMs, String property, long value) {
        List<Sent> sent = producer.send(
                "async",
                TOPIC,
                "count",
                MESSAGES_PER_SECOND_AND_CLIENT,
                "body",
                body + " {i}",
                "timeoutMs",
                OwnBench.TIMEOUT_MS,
                "systemProperties",
                Map.of(property, Long.toString(value)));
        assertThat(sent).allMatch(Sent::isOk);
        for (int i = 0; i < MESSAGES_PER_SECOND_AND_CLIENT; i++) {
            dueMs.put(body + " " + i, atMs);
        }
    }

    /**
     * Kills it when so many have come, whatever the time is, unless all have: a slow machine may need as long for a start as the rest takes. Gives how
     * many had come.
     */
    private int killAfter(int messages, PerigeeProcess perigee, StockConsumer consumer) throws Exception {
        await(messages + " delivered before the kill")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> distinct(consumer) >= messages);
        int delivered = distinct(consumer);
        if (delivered < MESSAGES) {
            long fromMs = System.currentTimeMillis();
            perigee.kill();
            perigee.start();
            downMs.put(fromMs, System.currentTimeMillis());
        }
        return delivered;
    }

    private static int distinct(StockConsumer consumer) {
        return Set.copyOf(consumer.bodies()).size();
    }

    private void check(List<Received> received) {
        Set<String> places = new HashSet<>();
        Set<String> bodies = new HashSet<>();
        for (Received message : received) {
            String body = message.body();
            assertThat(message.receivedAt())
                    .as(body)
                    .isGreaterThanOrEqualTo(Objects.requireNonNull(dueMs.get(body), body));
            boolean firstSeenHere = places.add(message.queueId() + "@" + message.queueOffset());
            if (firstSeenHere && !bodies.add(body)) {
                long storedMs = message.shape().getLongValue("storeTimestamp");
                assertThat(downMs.entrySet())
                        .as("%s came again at %s, and only a kill may do that", body, storedMs)
                        .anyMatch(down -> storedMs >= down.getKey() - NEAR_A_KILL_MS
                                && storedMs <= down.getValue() + AFTER_A_START_MS);
            }
        }
        assertThat(bodies).isEqualTo(dueMs.keySet());
    }
}
