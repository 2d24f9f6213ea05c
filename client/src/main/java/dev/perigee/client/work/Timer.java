package dev.perigee.client.work;

import dev.perigee.loop.ThreadSafe;

/** One scheduled task of a {@link ClientLoop}. Cancelling is cheap and may come from any thread, also from the task. */
@ThreadSafe
public final class Timer {
    private final Runnable task;
    private final long periodMs;
    private volatile boolean cancelled;

    Timer(Runnable task, long periodMs) {
        this.task = task;
        this.periodMs = periodMs;
    }

    /** Keeps the task from running again. Idempotent. */
    public void cancel() {
        cancelled = true;
    }

    boolean isCancelled() {
        return cancelled;
    }

    Runnable task() {
        return task;
    }

    long periodMs() {
        return periodMs;
    }
}
