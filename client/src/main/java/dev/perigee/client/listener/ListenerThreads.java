package dev.perigee.client.listener;

import dev.perigee.loop.ThreadSafe;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads listeners run on: our own, or those of the user, which are left alone when closing. What waits for them is
 * bounded by the flow control of the queues.
 */
@ThreadSafe
public final class ListenerThreads {
    private static final Logger LOG = LoggerFactory.getLogger(ListenerThreads.class);

    private final Executor executor;
    private final @Nullable ExecutorService own;

    private ListenerThreads(Executor executor, @Nullable ExecutorService own) {
        this.executor = executor;
        this.own = own;
    }

    /** Threads of our own, so many; they keep the process alive until the consumer is closed. */
    public static ListenerThreads own(String group, int count) {
        AtomicInteger number = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(
                count, task -> new Thread(task, "perigee-listener-" + group + "-" + number.incrementAndGet()));
        return new ListenerThreads(pool, pool);
    }

    /** The user's threads. */
    public static ListenerThreads of(Executor executor) {
        return new ListenerThreads(executor, null);
    }

    /** Whether they are the user's. */
    public boolean isOfUser() {
        return own == null;
    }

    /** Where listener calls run. It may refuse a task with an exception. */
    public Executor executor() {
        return executor;
    }

    /** Calls went on too long: our own threads are interrupted, the user's are left to the user. */
    public void giveUp(String group, int calls, long waitedMs) {
        ExecutorService pool = own;
        LOG.warn(
                "event=listener_calls_not_awaited group={} calls={} waitedMs={} threads={}",
                group,
                calls,
                waitedMs,
                pool == null ? "of the user, left running" : "interrupted");
        if (pool != null) {
            pool.shutdownNow();
        }
    }

    /** Ends our own threads as soon as their calls end. Idempotent; does not wait. */
    public void close() {
        ExecutorService pool = own;
        if (pool != null) {
            pool.shutdown();
        }
    }
}
