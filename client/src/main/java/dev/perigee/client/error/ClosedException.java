package dev.perigee.client.error;

import org.jspecify.annotations.Nullable;

/** The producer, consumer or admin client was closed before the operation was done. */
public final class ClosedException extends ClientException {
    private static final long serialVersionUID = 1L;

    public ClosedException(String what, FailureSite site, @Nullable Throwable cause) {
        super(what, site, cause);
    }

    public ClosedException(String what, FailureSite site) {
        this(what, site, null);
    }

    @Override
    public boolean isRetryable() {
        return false;
    }

    @Override
    boolean mayHaveBeenCarriedOut() {
        return getCause() instanceof ClientException last && last.mayHaveTakenEffect();
    }

    @Override
    ClientException at(String text, FailureSite place) {
        return new ClosedException(text, place, getCause());
    }
}
