package dev.perigee.client.consumer;

import dev.perigee.loop.ThreadSafe;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads listeners run on: our own, or those of the user, which are left alone when closing. What waits for them is
 * bounded by the flow control of the queues.
 */
@ThreadSafe
final class ListenerThreads {
    private static final Logger LOG = LoggerFactory.getLogger(ListenerThreads.class);

    private final Executor executor;
    private final @Nullable ExecutorService own;

    private ListenerThreads(Executor executor, @Nullable ExecutorService own) {
        this.executor = executor;
        this.own = own;
    }

    /** Threads of our own, so many; they keep the process alive until the consumer is closed. */
    static ListenerThreads own(String group, int count) {
        AtomicInteger number = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(
                count, task -> new Thread(task, "perigee-listener-" + group + "-" + number.incrementAndGet()));
        return new ListenerThreads(pool, pool);
    }

    /** The user's threads. */
    static ListenerThreads of(Executor executor) {
        return new ListenerThreads(executor, null);
    }

    Executor executor() {
        return executor;
    }

    /** Ends our own threads: waits for what runs, at most so long, then interrupts it. Idempotent. */
    void close(long timeoutMs) {
        ExecutorService pool = own;
        if (pool == null || pool.isTerminated()) {
            return;
        }
        pool.shutdown();
        try {
            if (!pool.awaitTermination(timeoutMs, TimeUnit.MILLISECONDS)) {
                LOG.warn("event=listener_calls_interrupted waitedMs={}", timeoutMs);
                pool.shutdownNow();
            }
        } catch (InterruptedException e) {
            pool.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
