package dev.perigee.sim.cluster;

import dev.perigee.loop.Clock;
import dev.perigee.loop.Loop;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;

/**
 * What the duties of a broker have others read for them. Between other steps of the broker, one after the other, and now and then one takes
 * its time, as a slow disk does; what is not done goes with the process.
 */
final class ColdReads implements Loop, Executor {
    /** One of so many takes its time. */
    private static final int READS_A_SLOW_ONE = 10;

    private static final int LONGEST_MS = 2_500;

    private final Clock clock;
    private final SplittableRandom random;
    private final Queue<Read> waiting = new ArrayDeque<>();
    private long lastDueMs = Long.MIN_VALUE;

    private record Read(long dueMs, Runnable task) {}

    ColdReads(Clock clock, SplittableRandom random) {
        this.clock = clock;
        this.random = random;
    }

    @Override
    public void execute(Runnable task) {
        long takesMs = random.nextInt(READS_A_SLOW_ONE) == 0 ? random.nextInt(LONGEST_MS) : 0;
        lastDueMs = Math.max(lastDueMs, clock.monotonicMs() + takesMs);
        waiting.add(new Read(lastDueMs, task));
    }

    @Override
    public String name() {
        return "cold-reads";
    }

    @Override
    public int doWork(long nowMs) {
        Read next = waiting.peek();
        if (next == null || next.dueMs > nowMs) {
            return 0;
        }
        waiting.remove();
        next.task.run();
        return 1;
    }

    @Override
    public long nextDeadlineMs() {
        Read next = waiting.peek();
        return next == null ? Long.MAX_VALUE : next.dueMs;
    }
}
