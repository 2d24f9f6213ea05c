package dev.perigee.client.error;

import org.jspecify.annotations.Nullable;

/** The calling thread was interrupted while it waited. Its interrupt flag is set again; the operation may still happen. */
public final class InterruptedCallException extends ClientException {
    private static final long serialVersionUID = 1L;

    public InterruptedCallException(String what, FailureSite site, @Nullable Throwable cause) {
        super(what, site, cause);
    }

    @Override
    public boolean isRetryable() {
        return true;
    }

    @Override
    boolean mayHaveBeenCarriedOut() {
        return true;
    }

    @Override
    ClientException at(String text, FailureSite place) {
        return new InterruptedCallException(text, place, getCause());
    }
}
