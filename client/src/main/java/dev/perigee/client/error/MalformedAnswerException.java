package dev.perigee.client.error;

import org.jspecify.annotations.Nullable;

/** A peer answered with bytes that cannot be read. */
public final class MalformedAnswerException extends ClientException {
    private static final long serialVersionUID = 1L;

    public MalformedAnswerException(String what, FailureSite site, @Nullable Throwable cause) {
        super(what, site, cause);
    }

    public MalformedAnswerException(String what, FailureSite site) {
        this(what, site, null);
    }

    @Override
    public boolean isRetryable() {
        return false;
    }

    /** Who answered has carried the request out. */
    @Override
    boolean mayHaveBeenCarriedOut() {
        return site().attempt() > 0;
    }

    @Override
    ClientException at(String text, FailureSite place) {
        return new MalformedAnswerException(text, place, getCause());
    }
}
