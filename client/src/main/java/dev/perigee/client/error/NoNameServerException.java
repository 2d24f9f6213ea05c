package dev.perigee.client.error;

import org.jspecify.annotations.Nullable;

/** No NameServer is configured, or none of them answered. */
public final class NoNameServerException extends ClientException {
    private static final long serialVersionUID = 1L;

    public NoNameServerException(String what, FailureSite site, @Nullable Throwable cause) {
        super(what, site, cause);
    }

    public NoNameServerException(String what, FailureSite site) {
        this(what, site, null);
    }

    @Override
    public boolean isRetryable() {
        return true;
    }

    @Override
    ClientException at(String text, FailureSite place) {
        return new NoNameServerException(text, place, getCause());
    }
}
