package dev.perigee.client.error;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Going on when a future is done, where nobody waits for the going on: a failure in it is logged, not lost. */
public final class Completion {
    private static final Logger LOG = LoggerFactory.getLogger(Completion.class);

    /** What to do when a future is done. */
    @FunctionalInterface
    public interface Outcome<T> {
        /** @param failure why there is no value, without the wrappers futures put around it; null when there is one */
        void done(T value, @Nullable Throwable failure);
    }

    private Completion() {}

    /** Runs the outcome when the future is done, on the thread that completes it; at once when it is done already. */
    @SuppressWarnings("FutureReturnValueIgnored") // what the outcome throws is dealt with inside
    public static <T> void on(CompletableFuture<T> future, Outcome<? super T> outcome) {
        future.whenComplete((value, failure) -> {
            try {
                outcome.done(value, failure == null ? null : Failures.unwrap(failure));
            } catch (RuntimeException | Error e) {
                LOG.error("event=completion_failed", e);
            }
        });
    }

    /** Lets something happen without waiting for it; a failure is worth a line in the log, no more. */
    public static void unawaited(CompletableFuture<?> future) {
        on(future, (value, failure) -> {
            if (failure != null) {
                LOG.debug("event=unawaited_failed reason=\"{}\"", failure.getMessage());
            }
        });
    }
}
