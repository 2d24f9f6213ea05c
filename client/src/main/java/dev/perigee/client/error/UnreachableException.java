package dev.perigee.client.error;

import org.jspecify.annotations.Nullable;

/** No connection to the peer could be made, or it broke before the answer came. */
public final class UnreachableException extends ClientException {
    private static final long serialVersionUID = 1L;

    public UnreachableException(String what, FailureSite site, @Nullable Throwable cause) {
        super(what, site, cause);
    }

    public UnreachableException(String what, FailureSite site) {
        this(what, site, null);
    }

    @Override
    public boolean isRetryable() {
        return true;
    }

    @Override
    public boolean mayHaveTakenEffect() {
        return true;
    }
}
