package dev.perigee.bench.jmh;

import dev.perigee.protocol.message.FrameDraft;
import java.io.IOException;
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
 * Appends through the store's single writer into real files: encode, submit, and the writer's pass that assigns offsets, seals and writes.
 * One operation is one message of 1 KiB. Every iteration begins with an empty log, and an iteration of one second writes up to 1 GB.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class AppendBench { // not final: JMH extends it
    private static final int UNITS = 64;
    private static final int BATCH = 32;
    private static final int BATCHES = 8;
    private static final int QUEUES = 4;

    private final FrameDraft draft = SampleFrames.draft(0);
    private @Nullable SteppedStore opened;

    /** Opens an empty log. */
    @Setup(Level.Iteration)
    public void open() throws IOException {
        opened = SteppedStore.openWithDiskThreads();
    }

    /** Removes it. */
    @TearDown(Level.Iteration)
    public void close() {
        store().close();
    }

    private SteppedStore store() {
        SteppedStore now = opened;
        if (now == null) {
            throw new IllegalStateException("no store is open");
        }
        return now;
    }

    /** Single messages, as many per pass as a busy writer finds waiting. */
    @Benchmark
    @OperationsPerInvocation(UNITS)
    public void single() {
        SteppedStore store = store();
        for (int i = 0; i < UNITS; i++) {
            store.submit(draft, i % QUEUES, 1);
        }
        store.stepLog();
    }

    /** Units of 32 messages. */
    @Benchmark
    @OperationsPerInvocation(BATCH * BATCHES)
    public void batchOf32() {
        SteppedStore store = store();
        for (int i = 0; i < BATCHES; i++) {
            store.submit(draft, i % QUEUES, BATCH);
        }
        store.stepLog();
    }
}
