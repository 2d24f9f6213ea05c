package dev.perigee.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.fact.FeatureLevel;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.store.append.AppendRequest;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.Appender;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.append.SoloReplication;
import dev.perigee.store.disk.FileDisk;
import dev.perigee.store.log.LogFiles;
import dev.perigee.store.log.LogScanner;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoreTest {
    private static final int SEGMENT_BYTES = 1 << 20;

    @TempDir
    private Path folder;

    private final Queue<Throwable> faults = new ConcurrentLinkedQueue<>();

    private Store open(FlushMode mode) throws IOException {
        StoreConfig config = StoreConfig.defaults()
                .withSegmentSizeBytes(SEGMENT_BYTES)
                .withFlushMode(mode)
                .withMinFreeBytes(0, 0);
        StoreSeams seams = new StoreSeams(
                new FileDisk(folder), Clock.system(), RandomGenerator.getDefault(), BootId.read(), faults::add);
        return Store.open(config, seams, new SoloReplication(mode), Store.Views.none());
    }

    /** Sends from this thread and counts down once per answer. */
    private static void send(
            Appender appender, int queueId, int count, CountDownLatch answers, Queue<AppendResult> bad) {
        byte[] topic = "topic".getBytes(StandardCharsets.UTF_8);
        FrameDraft draft = new FrameDraft();
        for (int i = 0; i < count; i++) {
            draft.topic(topic).queueId(queueId).body(ByteBuffer.wrap(new byte[500 + i % 500]));
            ByteBuffer space = appender.reserve(draft.sizeBytes());
            while (space == null) {
                Thread.onSpinWait();
                space = appender.reserve(draft.sizeBytes());
            }
            draft.writeTo(space);
            appender.submit(new AppendRequest("topic", queueId, 1, true, (request, result) -> {
                if (result != AppendResult.APPENDED) {
                    bad.add(result);
                }
                answers.countDown();
            }));
        }
    }

    /** One send each; returns the thread that completed it. */
    private static String threadOf(Appender appender) throws InterruptedException {
        return threadsOf(appender, 1, () -> {}).element();
    }

    /** Sends, ends the turn and waits for the answers; the threads that gave them. */
    private static Queue<String> threadsOf(Appender appender, int count, Runnable endTurn) throws InterruptedException {
        Queue<String> threads = new ConcurrentLinkedQueue<>();
        CountDownLatch answers = new CountDownLatch(count);
        FrameDraft draft = new FrameDraft().topic("topic".getBytes(StandardCharsets.UTF_8));
        for (int i = 0; i < count; i++) {
            draft.body(ByteBuffer.wrap(new byte[100]));
            ByteBuffer space = Objects.requireNonNull(appender.reserve(draft.sizeBytes()));
            draft.writeTo(space);
            appender.submit(new AppendRequest("topic", 0, 1, true, (request, result) -> {
                threads.add(Thread.currentThread().getName());
                answers.countDown();
            }));
        }
        endTurn.run();
        assertThat(answers.await(60, TimeUnit.SECONDS)).isTrue();
        return threads;
    }

    @Test
    void aLoneSendIsWrittenByTheThreadThatBringsItWhenTheLogLoopIsParked() throws Exception {
        try (Store store = open(FlushMode.ASYNC)) {
            store.start();
            Appender appender = store.newAppender();
            String here = Thread.currentThread().getName();
            long startNs = System.nanoTime();
            while (!threadOf(appender).equals(here)) {
                assertThat(System.nanoTime() - startNs).isLessThan(TimeUnit.SECONDS.toNanos(60));
            }
        }
        assertThat(faults).isEmpty();
    }

    @Test
    void manySendsOfOneTurnAreWrittenByTheLogLoop() throws Exception {
        try (Store store = open(FlushMode.ASYNC)) {
            store.start();
            Queue<Runnable> turn = new ConcurrentLinkedQueue<>();
            Appender appender = store.newAppender(turn::add);
            for (int round = 0; round < 50; round++) {
                Queue<String> threads = threadsOf(appender, 9, () -> {});
                assertThat(threads).containsOnly("perigee-log");
                assertThat(turn).hasSize(1);
                turn.remove().run();
            }
        }
        assertThat(faults).isEmpty();
    }

    private void sendFromTwoThreads(Store store, int countEach) throws InterruptedException {
        CountDownLatch answers = new CountDownLatch(2 * countEach);
        Queue<AppendResult> bad = new ConcurrentLinkedQueue<>();
        Thread other = new Thread(() -> send(store.newAppender(), 1, countEach, answers, bad));
        other.start();
        send(store.newAppender(), 0, countEach, answers, bad);
        other.join();
        assertThat(answers.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(bad).isEmpty();
    }

    private static void awaitApplied(Store store) throws InterruptedException {
        CountDownLatch applied = new CountDownLatch(1);
        store.whenApplied(store.log().confirmOffset(), applied::countDown);
        assertThat(applied.await(60, TimeUnit.SECONDS)).isTrue();
    }

    private static long end(Store store, int queueId) {
        return Objects.requireNonNull(store.queues().find("topic", queueId)).maxOffset();
    }

    @Test
    void whatTwoThreadsSentIsThereAfterACleanStopAndAfterLosingAllViews() throws Exception {
        int count = 3_000;
        try (Store store = open(FlushMode.SYNC)) {
            store.start();
            sendFromTwoThreads(store, count);
            awaitApplied(store);
            assertThat(end(store, 0)).isEqualTo(count);
        }
        try (Store store = open(FlushMode.SYNC)) {
            assertThat(store.recovery().clean()).isTrue();
            assertThat(store.recovery().frames()).isZero();
            assertThat(end(store, 1)).isEqualTo(count);
        }
        deleteAllButTheLog();
        try (Store store = open(FlushMode.SYNC)) {
            assertThat(end(store, 0)).isEqualTo(count);
            assertThat(end(store, 1)).isEqualTo(count);
            store.start();
            sendFromTwoThreads(store, 1);
            awaitApplied(store);
            assertThat(end(store, 0)).isEqualTo(count + 1);
        }
        assertThat(faults).isEmpty();
        verifyWithTheTool(2L * count + 2);
    }

    @Test
    void anAsynchronousStoreKeepsEverythingOverACleanStop() throws Exception {
        try (Store store = open(FlushMode.ASYNC)) {
            store.start();
            sendFromTwoThreads(store, 2_000);
        }
        try (Store store = open(FlushMode.ASYNC)) {
            assertThat(end(store, 0)).isEqualTo(2_000);
            assertThat(end(store, 1)).isEqualTo(2_000);
        }
    }

    @Test
    void aFolderIsOpenOnlyOnce() throws IOException {
        try (Store store = open(FlushMode.SYNC)) {
            assertThat(store.log().endOffset()).isZero();
            assertThatThrownBy(() -> open(FlushMode.SYNC))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("already open");
        }
        open(FlushMode.SYNC).close();
    }

    @Test
    void aFactIsAppliedBeforeItsWaiterRuns() throws Exception {
        try (Store store = open(FlushMode.SYNC)) {
            store.start();
            CountDownLatch applied = new CountDownLatch(1);
            store.facts().append(new FeatureLevel(1), (result, end) -> store.whenApplied(end, applied::countDown));
            assertThat(applied.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    private void verifyWithTheTool(long messages) throws IOException {
        long sound = 0;
        long facts = 0;
        try (LogFiles files = LogFiles.open(folder)) {
            LogScanner scanner = files.scan(files.startOffset());
            while (scanner.next()) {
                switch (scanner.verdict()) {
                    case FRAME -> {
                        sound++;
                        facts += scanner.frame().limit() < 400 ? 1 : 0;
                    }
                    case BLANK ->
                        assertThat(scanner.offset() + scanner.sizeBytes())
                                .isEqualTo((scanner.offset() / SEGMENT_BYTES + 1) * SEGMENT_BYTES);
                    default -> throw new AssertionError(scanner.verdict() + " at " + scanner.offset());
                }
            }
        }
        assertThat(sound - facts).isEqualTo(messages);
    }

    private void deleteAllButTheLog() throws IOException {
        List<Path> doomed;
        try (Stream<Path> walk = Files.walk(folder)) {
            doomed = walk.filter(path -> !path.startsWith(folder.resolve("commitlog")) && !path.equals(folder))
                    .sorted(Comparator.reverseOrder())
                    .toList();
        }
        for (Path path : doomed) {
            Files.delete(path);
        }
    }
}
