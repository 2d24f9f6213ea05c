package dev.perigee.broker.pull;

import dev.perigee.bench.jmh.SampleFrames;
import dev.perigee.bench.jmh.SteppedStore;
import dev.perigee.broker.config.ReadSettings;
import dev.perigee.broker.filter.TagFilter;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.remoting.transport.Payload;
import dev.perigee.store.queue.ConsumeQueue;
import dev.perigee.store.view.ColdReaders;
import java.io.IOException;
import java.time.ZoneId;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * From a queue offset to the payload of the answer: one operation is one pull of 32 messages of 1 KiB near the tail. With one queue they lie
 * next to each other in the log, with four every one is a range of its own. In this package because the reader's answer is not public.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class PullBench { // not final: JMH extends it
    private static final int MESSAGES = 64_000;
    private static final int PER_PASS = 64;
    private static final int PULLED = 32;

    /** Over how many queues the messages are spread. */
    @Param({"1", "4"})
    public int queues = 1;

    private final PullChecks.Plan plan = new PullChecks.Plan(null, 0, null, null, TagFilter.ALL);
    private @Nullable SteppedStore opened;
    private @Nullable QueueReader reader;
    private @Nullable ConsumeQueue queue;
    private long offset;

    /** Fills the log and lets the queues follow. */
    @Setup
    public void fill() throws IOException {
        SteppedStore store = SteppedStore.open();
        opened = store;
        for (int i = 0; i < MESSAGES; i += PER_PASS) {
            for (int j = 0; j < PER_PASS; j++) {
                store.submit(SampleFrames.draft(i + j), j % queues, 1);
            }
            store.stepLog();
        }
        store.settle();
        queue = store.store().queues().find(SampleFrames.TOPIC, 0);
        reader = new QueueReader(
                store.store().queues(),
                store.store().log(),
                new ReadSettings(PULLED, 256 << 10, PULLED, 64 << 10, 1 << 30, PULLED),
                new BrokerStats("bench", ZoneId.of("UTC"), 0),
                new ColdReaders(0, 1, Clock.system()),
                id -> false,
                offset -> {
                    throw new IllegalStateException("a frame is damaged at " + offset);
                });
    }

    /** Removes the log. */
    @TearDown
    public void close() {
        Objects.requireNonNull(opened, "nothing is open").close();
    }

    @Benchmark
    public long pull32() {
        ConsumeQueue from = Objects.requireNonNull(queue, "not filled");
        offset = offset + 2 * PULLED > from.maxOffset() ? 0 : offset + PULLED;
        PullAnswer answer = Objects.requireNonNull(reader, "not filled").read(header(offset), offset, from, plan);
        Payload payload = Objects.requireNonNull(answer.payload(), "nothing found");
        long touched = 0;
        for (int i = 0; i < payload.bufferCount(); i++) {
            touched += payload.buffer(i).remaining();
        }
        payload.release();
        return touched;
    }

    private static PullMessageHeader header(long queueOffset) {
        return new PullMessageHeader(
                "bench_group",
                SampleFrames.TOPIC,
                0,
                queueOffset,
                PULLED,
                2,
                0,
                15_000,
                "*",
                0,
                "TAG",
                0,
                0,
                null,
                null);
    }
}
