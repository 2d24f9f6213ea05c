package dev.perigee.client.request;

import dev.perigee.client.instance.ClientSettings;
import dev.perigee.loop.ThreadSafe;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The thread that inflates compressed replies, so that no event loop does. It is there only while there is something to inflate. As
 * many replies may wait for it as requests may wait for replies.
 */
@ThreadSafe
public final class InflatingThread implements Executor, AutoCloseable {
    private static final long KEPT_SECONDS = 10;

    private final @Nullable ThreadPoolExecutor pool;

    private InflatingThread(@Nullable ThreadPoolExecutor pool) {
        this.pool = pool;
    }

    /** For a client: where one thread does everything, that one inflates too. */
    public static InflatingThread of(ClientSettings settings) {
        if (settings.loopMode() == ClientSettings.LoopMode.STEPPED) {
            return new InflatingThread(null);
        }
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                1,
                1,
                KEPT_SECONDS,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(Replies.MAX_WAITING),
                task -> new Thread(task, "perigee-replies-" + settings.instanceName()));
        pool.allowCoreThreadTimeOut(true);
        return new InflatingThread(pool);
    }

    /** @throws java.util.concurrent.RejectedExecutionException when it is closed */
    @Override
    public void execute(Runnable task) {
        if (pool == null) {
            task.run();
        } else {
            pool.execute(task);
        }
    }

    /** Ends the thread after what waits for it. Idempotent; does not wait. */
    @Override
    public void close() {
        if (pool != null) {
            pool.shutdown();
        }
    }
}
