package dev.perigee.bench.jmh;

import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.store.disk.FileDisk;
import dev.perigee.store.disk.Folders;
import dev.perigee.store.index.IndexConfig;
import dev.perigee.store.index.KeyIndexView;
import dev.perigee.store.queue.ConsumeQueueView;
import dev.perigee.store.queue.QueueConfig;
import dev.perigee.store.view.LogEntry;
import dev.perigee.store.view.LogFrames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * From a frame of the log to its entries in the consume queue and the key index, files included. One operation is one message with a tag and
 * two keys. Every iteration begins with empty views.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class DispatchBench { // not final: JMH extends it
    private static final int PASS = 256;
    private static final int QUEUES = 4;

    private final LogEntry entry = new LogEntry();
    private final ByteBuffer frames;
    private final int frameBytes;
    private final long[] queueEnds = new long[QUEUES];
    private long logOffset;
    private @Nullable Views opened;

    /** The views and what they stand on. */
    private record Views(SteppedStore log, Path folder, ConsumeQueueView queues, KeyIndexView index) {}

    /** Encodes one pass of frames. */
    public DispatchBench() {
        frameBytes = SampleFrames.draft(0).sizeBytes();
        frames = ByteBuffer.allocateDirect(PASS * (frameBytes + Long.BYTES));
        for (int i = 0; i < PASS; i++) {
            FrameDraft draft = SampleFrames.draft(100 + i).queueId(i % QUEUES);
            draft.writeTo(frames.position(at(i)));
        }
        frames.clear();
    }

    private int at(int index) {
        return index * (frameBytes + Long.BYTES);
    }

    /** Makes empty views. */
    @Setup(Level.Iteration)
    public void open() throws IOException {
        SteppedStore log = SteppedStore.open();
        Path folder = Files.createTempDirectory("perigee-jmh-views");
        FileDisk disk = new FileDisk(folder);
        LogFrames found = new LogFrames(log.store().log());
        opened = new Views(
                log,
                folder,
                new ConsumeQueueView(disk, QueueConfig.DEFAULT, found::storeTimestampMs),
                new KeyIndexView(disk, IndexConfig.DEFAULT, found));
        Arrays.fill(queueEnds, 0);
        logOffset = 0;
    }

    /** Removes them. */
    @TearDown(Level.Iteration)
    public void close() throws IOException {
        Views views = views();
        views.queues().forget();
        views.index().forget();
        views.log().close();
        Folders.delete(views.folder());
    }

    private Views views() {
        Views now = opened;
        if (now == null) {
            throw new IllegalStateException("no views are open");
        }
        return now;
    }

    @Benchmark
    @OperationsPerInvocation(PASS)
    public void queueAndIndex() {
        Views views = views();
        for (int i = 0; i < PASS; i++) {
            next(i);
            views.queues().apply(entry);
            views.index().apply(entry);
        }
        views.queues().passEnded();
        views.index().passEnded();
    }

    @Benchmark
    @OperationsPerInvocation(PASS)
    public void queueOnly() {
        Views views = views();
        for (int i = 0; i < PASS; i++) {
            next(i);
            views.queues().apply(entry);
        }
        views.queues().passEnded();
    }

    private void next(int index) {
        MessageFrame.patchQueueOffset(frames, at(index), queueEnds[index % QUEUES]++);
        entry.wrap(frames, at(index), logOffset);
        logOffset += entry.sizeBytes();
    }
}
