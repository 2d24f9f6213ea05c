package dev.perigee.client.transaction;

import dev.perigee.client.work.CallbackMark;
import dev.perigee.loop.ThreadSafe;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The threads that answer checks: our own with a bounded queue, or those of the user, which are left alone when closing. */
@ThreadSafe
final class CheckThreads {
    private final Executor executor;
    private final @Nullable ThreadPoolExecutor own;
    /** Which threads answer a check right now: those cannot wait for its end. */
    private final CallbackMark answering = new CallbackMark();

    private CheckThreads(Executor executor, @Nullable ThreadPoolExecutor own) {
        this.executor = executor;
        this.own = own;
    }

    /** So many threads of our own, before which so many checks may wait; further ones are refused. */
    static CheckThreads own(String group, int threads, int queue) {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads,
                threads,
                0,
                TimeUnit.MILLISECONDS,
                new ArrayBlockingQueue<>(queue),
                task -> new Thread(task, "perigee-transaction-check-" + group + "-" + number.incrementAndGet()));
        return new CheckThreads(pool, pool);
    }

    static CheckThreads of(Executor executor) {
        return new CheckThreads(executor, null);
    }

    /** @throws java.util.concurrent.RejectedExecutionException when too many wait, or it is closed */
    void execute(Runnable check) {
        executor.execute(() -> answering.during(check));
    }

    /**
     * Ends our own threads: checks that wait are dropped, brokers ask again; those under way have so long, then they are
     * interrupted, unless they have none. Blocks, but not in a check; an interrupt ends the waiting and stays set.
     */
    void close(long timeoutMs) {
        ThreadPoolExecutor pool = own;
        if (pool == null) {
            return;
        }
        pool.shutdown();
        pool.getQueue().clear();
        if (timeoutMs == 0 || answering.isSet()) {
            return;
        }
        try {
            if (!pool.awaitTermination(timeoutMs, TimeUnit.MILLISECONDS)) {
                pool.shutdownNow();
            }
        } catch (InterruptedException e) {
            pool.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
