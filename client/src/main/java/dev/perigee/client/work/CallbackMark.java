package dev.perigee.client.work;

import dev.perigee.loop.ThreadSafe;

/**
 * Knows which threads are running callbacks of this producer right now. Such a thread is an event loop: if it waited for
 * memory, the answer that frees memory could never be read.
 */
@ThreadSafe
public final class CallbackMark {
    private final ThreadLocal<Boolean> running = ThreadLocal.withInitial(() -> false);

    /** Whether the calling thread is inside {@link #during}. */
    public boolean isSet() {
        return running.get();
    }

    /** Runs code that completes futures, with the mark set. */
    public void during(Runnable completion) {
        boolean outer = running.get();
        running.set(true);
        try {
            completion.run();
        } finally {
            running.set(outer);
        }
    }
}
