package dev.perigee.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.producer.Producer;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.function.IntToLongFunction;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The broker is killed while it delivers ten thousand messages a second. A delivery and the end of its waiting are one append, so each
 * message lies in its queue once afterwards: none twice, none missing, none early.
 */
@Tag("full")
final class DeliveriesSurviveSigkillTest {
    private static final int PER_SECOND = 10_000;
    private static final int SECONDS = 8;
    private static final int MESSAGES = PER_SECOND * SECONDS;
    private static final long[] KILLS_MS = {1_500, 4_000, 6_500}; // after the first is due
    /** So many are sent first, to see how long sending all of them takes on this machine. */
    private static final int TRIAL = 5_000;

    private static final long LEAD_MS = 5_000;
    private static final long A_DAY_MS = 86_400_000;
    private static final int IN_FLIGHT = 1_000;
    private static final String TOPIC = "deliveries";

    @TempDir
    private Path folder;

    private final long[] dueMs = new long[MESSAGES];
    private final List<MessageExt> delivered = new ArrayList<>();

    @Test
    void everyMessageComesOnceThoughTheBrokerIsKilledWhileItDelivers() throws Exception {
        try (PerigeeProcess names = PerigeeProcess.namesrv(folder.resolve("names"));
                PerigeeProcess broker = PerigeeProcess.broker(
                        folder.resolve("broker"),
                        names.target().namesrv(),
                        Map.of("flushDiskType", "ASYNC_FLUSH", "waitTimeMillsInSendQueue", "10000"));
                RetryCalls calls = new RetryCalls(broker.target().broker());
                AdminClient admin = AdminClient.builder()
                        .nameServers(names.target().namesrv())
                        .callTimeoutMs(60_000)
                        .timeoutMs(60_000)
                        .build()) {
            admin.start();
            calls.send(TOPIC, "the topic is there"); // with one queue
            MessageQueue queue = new MessageQueue(TOPIC, broker.target().brokerName(), 0);
            sendAll(names, queue);
            int killsInDelivery = 0;
            for (long kill : KILLS_MS) {
                Awaitility.await("the time of the kill")
                        .atMost(Duration.ofMinutes(5))
                        .pollInterval(Duration.ofMillis(10))
                        .until(() -> System.currentTimeMillis() >= dueMs[0] + kill);
                killsInDelivery += awaitDeliveries(admin, queue) ? 1 : 0;
                broker.kill();
                broker.start();
            }
            assertThat(killsInDelivery).as("kills while it delivered").isPositive();
            Awaitility.await("all deliveries").atMost(Duration.ofMinutes(5)).until(() -> {
                delivered.addAll(calls.contents(TOPIC, delivered.size()));
                return delivered.size() > MESSAGES;
            });
            check();
        }
    }

    /** Whether it still delivers: a slow machine may need the whole stream for a restart. */
    private static boolean awaitDeliveries(AdminClient admin, MessageQueue queue) throws Exception {
        long before = Awaitility.await("an answer")
                .atMost(Duration.ofMinutes(1))
                .ignoreExceptions()
                .until(() -> admin.topics().maxOffset(queue), offset -> offset >= 0);
        long now = Awaitility.await("deliveries")
                .atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(10))
                .until(
                        () -> admin.topics().maxOffset(queue),
                        offset -> offset > before + PER_SECOND / 10 || offset > MESSAGES);
        return now <= MESSAGES;
    }

    private void sendAll(PerigeeProcess names, MessageQueue queue) throws InterruptedException {
        try (Producer producer = Producer.builder()
                .nameServers(names.target().namesrv())
                .group("deliveries")
                .callTimeoutMs(60_000) // a send that is tried again may lie there twice
                .sendTimeoutMs(60_000)
                .build()) {
            producer.start();
            long trialMs = System.currentTimeMillis();
            send(producer, queue, TRIAL, i -> trialMs + A_DAY_MS);
            long takesMs = (System.currentTimeMillis() - trialMs) * MESSAGES / TRIAL;
            long beginMs = System.currentTimeMillis() + LEAD_MS + takesMs;
            for (int i = 0; i < MESSAGES; i++) {
                dueMs[i] = beginMs + 1_000L * i / PER_SECOND;
            }
            send(producer, queue, MESSAGES, i -> dueMs[i]);
        }
    }

    private static void send(Producer producer, MessageQueue queue, int count, IntToLongFunction dueMs)
            throws InterruptedException {
        Semaphore permits = new Semaphore(IN_FLIGHT);
        Queue<Throwable> failed = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < count; i++) {
            Message message = Message.builder(TOPIC)
                    .body(Integer.toString(i))
                    .deliverAtMs(dueMs.applyAsLong(i))
                    .build();
            permits.acquire();
            CompletableFuture<?> unused = producer.sendAsync(message, queue).whenComplete((sent, failure) -> {
                if (failure != null) {
                    failed.add(failure);
                }
                permits.release();
            });
        }
        permits.acquire(IN_FLIGHT);
        assertThat(failed).isEmpty();
    }

    private void check() {
        boolean[] seen = new boolean[MESSAGES];
        for (MessageExt message : delivered.subList(1, delivered.size())) {
            int number = Integer.parseInt(message.bodyText());
            assertThat(seen[number]).as("message %s lies there before", number).isFalse();
            seen[number] = true;
            assertThat(message.storeTimestampMs())
                    .as("store time of %s", number)
                    .isGreaterThanOrEqualTo(dueMs[number]);
        }
        assertThat(delivered).hasSize(MESSAGES + 1);
    }
}
