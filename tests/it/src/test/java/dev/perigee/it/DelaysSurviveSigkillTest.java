package dev.perigee.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.producer.Producer;
import dev.perigee.client.send.SendResult;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Check K09: delayed messages of producers, the broker killed twice while they wait: none early, none missing. */
@Tag("full")
final class DelaysSurviveSigkillTest {
    private static final int MESSAGES = 10_000;
    private static final long FIRST_MS = 1_000;
    private static final long LAST_MS = 20_000;
    private static final long LEAD_MS = 8_000;
    private static final long WAIT_MS = 5_000;
    private static final long NEAR_A_KILL_MS = 2_000;
    /** How long a broker on a busy machine may take for what it was about to do when it was killed. */
    private static final long AFTER_A_START_MS = 15_000;

    private static final String TOPIC = "delays";

    /** The lead, the seconds over which they are due, and as much again and more for a busy machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    private Path folder;

    private final Map<String, Long> dueMs = new HashMap<>();
    private final List<MessageExt> seen = new ArrayList<>();
    private final List<long[]> downMs = new ArrayList<>(); // from, to

    @Test
    void tenThousandDelaysComeInTheirTimeThoughTheBrokerIsKilledTwice() throws Exception {
        try (PerigeeProcess names = PerigeeProcess.namesrv(folder.resolve("names"));
                PerigeeProcess broker = PerigeeProcess.broker(
                        folder.resolve("broker"), names.target().namesrv(), Map.of());
                RetryCalls calls = new RetryCalls(broker.target().broker())) {
            calls.send(TOPIC, "the topic is there"); // with one queue, and at the NameServer a little later
            seen.addAll(calls.contents(TOPIC));
            assertThat(seen).hasSize(1);
            long beginMs = System.currentTimeMillis() + LEAD_MS;
            sendAll(names, new MessageQueue(TOPIC, broker.target().brokerName(), 0), beginMs);
            int delivered = killAfter(MESSAGES / 5, broker, calls);
            killAfter((delivered + MESSAGES) / 2, broker, calls);
            assertThat(downMs).as("kills while some waited").isNotEmpty();
            Awaitility.await("all delays").atMost(PATIENCE).until(() -> distinct(calls) == MESSAGES);
            check();
        }
    }

    private void sendAll(PerigeeProcess names, MessageQueue queue, long beginMs) throws Exception {
        try (Producer producer = Producer.builder()
                .nameServers(names.target().namesrv())
                .group("delays")
                .sendTimeoutMs(60_000)
                .build()) {
            producer.start();
            List<CompletableFuture<SendResult>> sends = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                // On a machine that sends too slowly for it still late enough to wait when all are sent.
                long at = Math.max(
                        beginMs + FIRST_MS + i * (LAST_MS - FIRST_MS) / MESSAGES, System.currentTimeMillis() + WAIT_MS);
                String body = "delay-" + i;
                dueMs.put(body, at);
                Map<String, String> time = switch (i % 3) {
                    case 0 -> Map.of("TIMER_DELIVER_MS", Long.toString(at));
                    case 1 -> relative("TIMER_DELAY_MS", body, at, 1);
                    default -> relative("TIMER_DELAY_SEC", body, at, 1_000);
                };
                sends.add(
                        producer.sendAsync(new Message(TOPIC, body.getBytes(StandardCharsets.UTF_8), 0, time), queue));
            }
            CompletableFuture.allOf(sends.toArray(CompletableFuture<?>[]::new)).get(90, TimeUnit.SECONDS);
        }
    }

    /** A relative delay counts from its arrival, so it cannot be due before what is written down here. */
    private Map<String, String> relative(String property, String body, long at, long unitMs) {
        long nowMs = System.currentTimeMillis();
        long delay = Math.max(1, (at - nowMs + unitMs - 1) / unitMs);
        dueMs.put(body, nowMs + delay * unitMs);
        return Map.of(property, Long.toString(delay));
    }

    /**
     * Kills it when so many have come, whatever the time is, unless all have: a slow machine may need as long for a start as the rest takes. Gives how
     * many had come.
     */
    private int killAfter(int messages, PerigeeProcess broker, RetryCalls calls) throws Exception {
        Awaitility.await(messages + " delivered before the kill")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> distinct(calls) >= messages);
        int delivered = distinct(calls);
        if (delivered < MESSAGES) {
            long fromMs = System.currentTimeMillis();
            broker.kill();
            broker.start();
            downMs.add(new long[] {fromMs, System.currentTimeMillis()});
        }
        return delivered;
    }

    private int distinct(RetryCalls calls) throws Exception {
        seen.addAll(calls.contents(TOPIC, seen.size()));
        return (int) seen.stream().skip(1).map(MessageExt::bodyText).distinct().count();
    }

    private void check() {
        Map<String, List<Long>> stored = new HashMap<>();
        for (MessageExt message : seen.subList(1, seen.size())) {
            String body = message.bodyText();
            assertThat(message.storeTimestampMs())
                    .as("store time of %s", body)
                    .isGreaterThanOrEqualTo(Objects.requireNonNull(dueMs.get(body), body));
            stored.computeIfAbsent(body, key -> new ArrayList<>()).add(message.storeTimestampMs());
        }
        assertThat(stored.keySet()).isEqualTo(dueMs.keySet());
        stored.forEach((body, times) -> times.stream()
                .skip(1)
                .forEach(again -> assertThat(downMs)
                        .as("%s came again at %s, and only a kill may do that", body, again)
                        .anyMatch(down -> again >= down[0] - NEAR_A_KILL_MS && again <= down[1] + AFTER_A_START_MS)));
    }
}
