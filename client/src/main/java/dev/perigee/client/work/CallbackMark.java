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
        calling(() -> {
            completion.run();
            return completion;
        });
    }

    /** Code of the user that gives something. */
    public interface Call<T, X extends Exception> {
        /** Its result. */
        T get() throws X;
    }

    /** Runs code of the user for its result, with the mark set. */
    public <T, X extends Exception> T calling(Call<T, X> call) throws X {
        boolean outer = running.get();
        running.set(true);
        try {
            return call.get();
        } finally {
            running.set(outer);
        }
    }
}
