package dev.perigee.store.view;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The threads for reads that may wait for the disk: far from the tail, by time, by key. A full queue refuses at once, so
 * that slow reads never pile up behind each other without end. With zero threads every read runs on the caller's: so it is
 * in a store that nobody has started, whose loops a simulation steps.
 */
@ThreadSafe
public final class ColdReaders implements AutoCloseable {
    private static final int MAX_THREADS = 16;
    private static final long IDLE_SECONDS = 30;
    private static final long CLOSE_SECONDS = 5;

    private static final int DEFAULT_MAX_WAIT_MS = 5_000;

    private final int maxQueued;
    private final Clock clock;
    private volatile @Nullable ThreadPoolExecutor threads;
    private volatile int maxWaitMs = DEFAULT_MAX_WAIT_MS;
    private final LongAdder refused = new LongAdder();

    /**
     * @param threadCount 0 to {@value #MAX_THREADS}; idle threads end after {@value #IDLE_SECONDS} s
     * @param maxQueued reads waiting for a thread at most; beyond it they are refused
     * @param clock measures how long they wait
     */
    public ColdReaders(int threadCount, int maxQueued, Clock clock) {
        this.clock = clock;
        this.maxQueued = maxQueued;
        if (threadCount < 0 || threadCount > MAX_THREADS || maxQueued < 1) {
            throw new IllegalArgumentException("threadCount " + threadCount + " must be 0 to " + MAX_THREADS
                    + ", maxQueued " + maxQueued + " at least 1");
        }
        threads = threadCount == 0 ? null : pool(threadCount, maxQueued);
    }

    /** Readers without threads get some. Once, before anybody reads on another thread than the calling one. */
    public void start(int threadCount) {
        if (threads != null) {
            throw new IllegalStateException("these readers have threads");
        }
        threads = pool(threadCount, maxQueued);
    }

    private static ThreadPoolExecutor pool(int threadCount, int maxQueued) {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threadCount, threadCount, IDLE_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(maxQueued), task -> {
                    Thread thread = new Thread(task, "cold-reader-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** Runs a read; false when too many wait already or the store closes: the caller answers busy. */
    public boolean execute(Runnable read) {
        ThreadPoolExecutor pool = threads;
        if (pool == null) {
            read.run();
            return true;
        }
        try {
            pool.execute(read);
            return true;
        } catch (RejectedExecutionException e) {
            refused.increment();
            return false;
        }
    }

    /** Says how long a read may wait for a thread, {@value #DEFAULT_MAX_WAIT_MS} ms before this is called. */
    public void maxWaitMs(int ms) {
        maxWaitMs = ms;
    }

    /** How long a read may wait for a thread. */
    public int maxWaitMs() {
        return maxWaitMs;
    }

    /**
     * As {@link #execute(Runnable)}, for a read that is of no use when it comes late.
     *
     * @param expired told instead, with the milliseconds it waited, when that is more than it may wait
     */
    public boolean execute(Runnable read, LongConsumer expired) {
        long sinceMs = clock.monotonicMs();
        return execute(() -> {
            long waitedMs = clock.monotonicMs() - sinceMs;
            if (waitedMs > maxWaitMs) {
                expired.accept(waitedMs);
            } else {
                read.run();
            }
        });
    }

    /** How many reads were refused since the start. */
    public long refusedCount() {
        return refused.sum();
    }

    /** Takes no more reads and waits up to {@value #CLOSE_SECONDS} s for those under way. */
    @Override
    public void close() {
        ThreadPoolExecutor pool = threads;
        if (pool == null) {
            return;
        }
        pool.shutdown();
        try {
            if (!pool.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                pool.shutdownNow();
            }
        } catch (InterruptedException e) {
            pool.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
