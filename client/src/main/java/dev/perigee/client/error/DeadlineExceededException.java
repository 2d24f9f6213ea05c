package dev.perigee.client.error;

import org.jspecify.annotations.Nullable;

/** The deadline of the whole operation passed. */
public final class DeadlineExceededException extends ClientException {
    private static final long serialVersionUID = 1L;

    public DeadlineExceededException(String what, FailureSite site, @Nullable Throwable cause) {
        super(what, site, cause);
    }

    public DeadlineExceededException(String what, FailureSite site) {
        this(what, site, null);
    }

    @Override
    public boolean isRetryable() {
        return true;
    }

    @Override
    boolean mayHaveBeenCarriedOut() {
        return site().attempt() > 0;
    }

    @Override
    ClientException at(String text, FailureSite place) {
        return new DeadlineExceededException(text, place, getCause());
    }
}
