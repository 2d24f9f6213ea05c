package dev.perigee.client.error;

import org.jspecify.annotations.Nullable;

/** No NameServer knows a route for the topic, and no fallback topic offered one. */
public final class NoRouteException extends ClientException {
    private static final long serialVersionUID = 1L;

    public NoRouteException(String what, FailureSite site, @Nullable Throwable cause) {
        super(what, site, cause);
    }

    public NoRouteException(String what, FailureSite site) {
        this(what, site, null);
    }

    @Override
    public boolean isRetryable() {
        return true;
    }

    @Override
    ClientException at(String text, FailureSite place) {
        return new NoRouteException(text, place, getCause());
    }
}
