package dev.perigee.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.producer.Producer;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.protocol.header.send.RecallOutcome;
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
    private static final int SAMPLE_EVERY = 1_000;
    private static final int BODY_BYTES = 100;
    private static final String TOPIC = "timers";
    private static final String[] WHOLE_HEAP = {"-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch"};
    /** Of the generations of the heap; what follows them is about classes, which lie elsewhere. */
    private static final Pattern USED = Pattern.compile("generation\\s+total \\d+K, used (\\d+)K");

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
                                "10000"),
                        WHOLE_HEAP);
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
            Memory before = Memory.of(broker);
            List<String> handles = send(producer, queue, FAR, random, FAR_FROM_MS, FAR_TO_MS);
            Memory after = Memory.of(broker);
            System.out.println("before " + before + "\nwith " + FAR + " more waiting " + after);
            assertThat(after.bytes() - before.bytes()).as("bytes of growth").isLessThan(MAX_GROWTH_BYTES);
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
            assertThat(handles).hasSize(FAR / SAMPLE_EVERY);
            for (String handle : handles) {
                assertThat(producer.recall(TOPIC, handle))
                        .as("what still waits")
                        .isEqualTo(RecallOutcome.RECALLED);
            }
        }
    }

    /** Gives the handles of some of them. */
    private static List<String> send(
            Producer producer, MessageQueue queue, int count, SplittableRandom random, long fromMs, long toMs)
            throws InterruptedException {
        Queue<String> handles = new ConcurrentLinkedQueue<>();
        Semaphore permits = new Semaphore(IN_FLIGHT);
        Queue<Throwable> failed = new ConcurrentLinkedQueue<>();
        byte[] body = "x".repeat(BODY_BYTES).getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < count; i++) {
            boolean sampled = i % SAMPLE_EVERY == 0;
            permits.acquire();
            String delay = Long.toString(random.nextLong(fromMs, toMs));
            CompletableFuture<?> unused = producer.sendAsync(
                            new Message(TOPIC, body, 0, Map.of("TIMER_DELAY_MS", delay)), queue)
                    .whenComplete((result, error) -> {
                        if (error != null) {
                            failed.add(error);
                        } else if (sampled) {
                            handles.add(result.recallHandle().orElseThrow());
                        }
                        permits.release();
                    });
        }
        permits.acquire(IN_FLIGHT);
        assertThat(failed).as("failed sends").isEmpty();
        return List.copyOf(handles);
    }

    /**
     * What the broker's process holds. Its heap is resident as a whole from the start, so that the growth of the process is none of the
     * collector's, and what grows within it is seen after a collection.
     *
     * @param heapKib used in the heap after a collection
     * @param anonymousKib resident memory that no file backs
     * @param mappedKib resident pages of mapped files, which the system takes back when it needs them
     */
    private record Memory(long heapKib, long anonymousKib, long mappedKib) {
        static Memory of(PerigeeProcess broker) throws Exception {
            long pid = broker.process().pid();
            jcmd(pid, "GC.run");
            Matcher heap = USED.matcher(jcmd(pid, "GC.heap_info"));
            long usedKib = 0;
            while (heap.find()) {
                usedKib += Long.parseLong(heap.group(1));
            }
            assertThat(usedKib).as("what jcmd tells of the heap").isPositive();
            return new Memory(usedKib, kib(pid, "RssAnon"), kib(pid, "RssFile"));
        }

        private static long kib(long pid, String name) throws IOException {
            return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                    .filter(line -> line.startsWith(name + ":"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .findFirst()
                    .orElseThrow();
        }

        /** All that is resident, and what is used of the heap once more, which is resident from the start. */
        long bytes() {
            return 1_024 * (heapKib + anonymousKib + mappedKib);
        }
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
