package dev.perigee.client.work;

import dev.perigee.loop.ThreadSafe;
import java.util.concurrent.atomic.AtomicBoolean;

/** One scheduled task of a {@link ClientLoop}. Cancelling is cheap and may come from any thread, also from the task. */
@ThreadSafe
public final class Timer {
    private final Runnable task;
    private final long periodMs;
    private final Runnable abandoned;
    private final AtomicBoolean decided = new AtomicBoolean();
    private volatile boolean cancelled;

    /** @param abandoned run instead of the task when the loop stops before it is due */
    Timer(Runnable task, long periodMs, Runnable abandoned) {
        this.task = task;
        this.periodMs = periodMs;
        this.abandoned = abandoned;
    }

    /** Keeps the task from running again. Idempotent. */
    public void cancel() {
        cancelled = true;
    }

    boolean isCancelled() {
        return cancelled;
    }

    /** Whether the task may run now: once for a task that runs once, and not after it was abandoned. */
    boolean mayRun() {
        return !cancelled && (periodMs > 0 || decided.compareAndSet(false, true));
    }

    /** The loop has stopped: what waits for the task is told, unless it ran or was cancelled. */
    void abandon() {
        if (!cancelled && decided.compareAndSet(false, true)) {
            abandoned.run();
        }
    }

    Runnable task() {
        return task;
    }

    long periodMs() {
        return periodMs;
    }
}
