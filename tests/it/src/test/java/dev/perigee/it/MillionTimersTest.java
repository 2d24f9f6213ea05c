package dev.perigee.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.producer.Producer;
import dev.perigee.compat.PerigeeProcess;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A million messages that wait up to 30 days need little memory, and survive SIGKILL and the loss of everything but the log folder:
 * those that are due soon after come in their time.
 */
@Tag("soak")
final class MillionTimersTest {
    private static final int FAR = 1_000_000;
    private static final int NEAR = 10_000;
    private static final long NEAR_FROM_MS = 30_000;
    private static final long NEAR_FOR_MS = 20_000;
    private static final long FAR_FROM_MS = 3_600_000;
    private static final long FAR_TO_MS = 29L * 24 * 3_600_000;
    private static final long MAX_GROWTH_BYTES = 128L << 20;
    private static final int IN_FLIGHT = 1_000;
    private static final int BODY_BYTES = 100;
    private static final String TOPIC = "timers";
    private static final Pattern HEAP = Pattern.compile("total (\\d+)K, used (\\d+)K");
    private static final Pattern ANONYMOUS = Pattern.compile("RssAnon:\\s+(\\d+) kB");

    @TempDir
    private Path folder;

    @Test
    void aMillionDelaysNeedLittleMemoryAndSurviveTheLossOfAllButTheLog() throws Exception {
        try (PerigeeProcess names = PerigeeProcess.namesrv(folder.resolve("names"));
                PerigeeProcess broker = PerigeeProcess.broker(
                        folder.resolve("broker"),
                        names.target().namesrv(),
                        Map.of(
                                "flushDiskType",
                                "ASYNC_FLUSH",
                                "mappedFileSizeCommitLog",
                                "67108864",
                                "waitTimeMillsInSendQueue",
                                "10000"));
                RetryCalls calls = new RetryCalls(broker.target().broker());
                Producer producer = Producer.builder()
                        .nameServers(names.target().namesrv())
                        .group("timers")
                        .sendTimeoutMs(10_000)
                        .build()) {
            calls.send(TOPIC, "first");
            MessageQueue queue = new MessageQueue(TOPIC, broker.target().brokerName(), 0);
            producer.start();
            SplittableRandom random = new SplittableRandom(1);
            send(producer, queue, 50_000, random, FAR_FROM_MS, FAR_TO_MS); // so that all that is made once is there
            long before = memoryBytes(broker);
            send(producer, queue, FAR, random, FAR_FROM_MS, FAR_TO_MS);
            long growth = memoryBytes(broker) - before;
            System.out.println("growth with " + FAR + " waiting messages: " + (growth >> 20) + " MiB");
            assertThat(growth).as("bytes of growth").isLessThan(MAX_GROWTH_BYTES);
            long beginMs = System.currentTimeMillis();
            send(producer, queue, NEAR, random, NEAR_FROM_MS, NEAR_FROM_MS + NEAR_FOR_MS);
            broker.kill();
            LogAloneTest.keepOnlyTheLog(folder.resolve("broker").resolve("store"));
            broker.start();
            long startedMs = System.currentTimeMillis();
            List<MessageExt> all = new ArrayList<>();
            Awaitility.await("those that are due").atMost(Duration.ofMinutes(2)).until(() -> {
                all.addAll(calls.contents(TOPIC, all.size()));
                return all.size() > NEAR;
            });
            assertThat(all).hasSize(NEAR + 1);
            for (MessageExt message : all.subList(1, all.size())) {
                long dueMs = Long.parseLong(
                        Objects.requireNonNull(message.properties().get("TIMER_OUT_MS")));
                assertThat(message.storeTimestampMs()).isGreaterThanOrEqualTo(dueMs);
                assertThat(dueMs).isGreaterThanOrEqualTo(beginMs + NEAR_FROM_MS);
                assertThat(message.storeTimestampMs() - Math.max(dueMs, startedMs))
                        .as("ms late")
                        .isLessThan(5_000);
            }
        }
    }

    private static void send(
            Producer producer, MessageQueue queue, int count, SplittableRandom random, long fromMs, long toMs)
            throws InterruptedException {
        Semaphore permits = new Semaphore(IN_FLIGHT);
        Queue<Throwable> failed = new ConcurrentLinkedQueue<>();
        byte[] body = "x".repeat(BODY_BYTES).getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < count; i++) {
            permits.acquire();
            String delay = Long.toString(random.nextLong(fromMs, toMs));
            CompletableFuture<?> unused = producer.sendAsync(
                            new Message(TOPIC, body, 0, Map.of("TIMER_DELAY_MS", delay)), queue)
                    .whenComplete((result, error) -> {
                        if (error != null) {
                            failed.add(error);
                        }
                        permits.release();
                    });
        }
        permits.acquire(IN_FLIGHT);
        assertThat(failed).as("failed sends").isEmpty();
    }

    /** Used heap after a collection, and anonymous memory of the process beyond its heap; pages of mapped log files do not count. */
    private static long memoryBytes(PerigeeProcess broker) throws Exception {
        long pid = broker.process().pid();
        jcmd(pid, "GC.run");
        Matcher heap = HEAP.matcher(jcmd(pid, "GC.heap_info"));
        long totalKib = 0;
        long usedKib = 0;
        while (heap.find()) {
            totalKib += Long.parseLong(heap.group(1));
            usedKib += Long.parseLong(heap.group(2));
        }
        assertThat(usedKib).as("what jcmd tells of the heap").isPositive();
        Matcher anonymous = ANONYMOUS.matcher(Files.readString(Path.of("/proc/" + pid + "/status")));
        assertThat(anonymous.find()).isTrue();
        return 1_024 * (usedKib + Math.max(0, Long.parseLong(anonymous.group(1)) - totalKib));
    }

    private static String jcmd(long pid, String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(), Long.toString(pid), command)
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
