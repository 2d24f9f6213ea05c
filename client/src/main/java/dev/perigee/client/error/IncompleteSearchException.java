package dev.perigee.client.error;

import org.jspecify.annotations.Nullable;

/** A search found nothing, and a broker may hold more than it could be asked for. */
public final class IncompleteSearchException extends ClientException {
    private static final long serialVersionUID = 1L;

    public IncompleteSearchException(String what, FailureSite site) {
        this(what, site, null);
    }

    private IncompleteSearchException(String what, FailureSite site, @Nullable Throwable cause) {
        super(what, site, cause);
    }

    @Override
    public boolean isRetryable() {
        return false;
    }

    @Override
    ClientException at(String text, FailureSite place) {
        return new IncompleteSearchException(text, place, getCause());
    }
}
