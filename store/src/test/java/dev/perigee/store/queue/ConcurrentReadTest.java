package dev.perigee.store.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.disk.FileDisk;
import dev.perigee.store.view.LogEntry;
import dev.perigee.store.view.TestFrame;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConcurrentReadTest {
    private static final int MESSAGES = 60_000;
    private static final int READERS = 3;

    @TempDir
    private Path folder;

    private static long expectedPlace(long queueOffset) {
        return queueOffset * 1_000 + 7;
    }

    @Test
    void readersSeeWholeEntriesWhileTheQueueGrowsSpillsAndIsTrimmed() throws Exception {
        QueueConfig config = new QueueConfig(5000, 16, 8192, 2, 2);
        ConsumeQueueView view = new ConsumeQueueView(new FileDisk(folder), config, (at, size) -> FrameTimes.GONE);
        ByteBuffer frame = TestFrame.of("orders", 0, 0).encode(0, 1);
        LogEntry entry = new LogEntry();
        view.apply(entry.wrap(frame, 0, expectedPlace(0)));
        ConsumeQueue queue = view.queues("orders").get(0);
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(READERS);
        try {
            List<Future<Long>> readers = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                readers.add(threads.submit(reader(queue, done, i)));
            }
            for (int i = 1; i < MESSAGES; i++) {
                frame.putLong(20, i);
                view.apply(entry.wrap(frame, 0, expectedPlace(i)));
                if (i % 10_000 == 0) {
                    view.trimmed(expectedPlace(i - 7_000));
                }
            }
            done.set(true);
            for (Future<Long> reader : readers) {
                assertThat(reader.get()).as("entries seen").isPositive();
            }
        } finally {
            done.set(true);
            threads.shutdownNow();
        }
        assertThat(queue.maxOffset()).isEqualTo(MESSAGES);
        view.forget();
    }

    /** Reads from the start, the middle or the end over and over, and checks every entry it is shown. */
    private static Callable<Long> reader(ConsumeQueue queue, AtomicBoolean done, int kind) {
        return () -> {
            long[] seen = new long[1];
            do { // at least once, also where the thread has its first turn when all is written
                long min = queue.minOffset();
                long max = queue.maxOffset();
                long from = kind == 0 ? min : kind == 1 ? (min + max) / 2 : Math.max(min, max - 20);
                long[] next = {from};
                queue.read(from, 100, (offset, physical, size, tag) -> {
                    if (offset != next[0]++ || physical != expectedPlace(offset)) {
                        throw new IllegalStateException("entry " + offset + " shows place " + physical);
                    }
                    seen[0]++;
                    return true;
                });
            } while (!done.get());
            return seen[0];
        };
    }
}
