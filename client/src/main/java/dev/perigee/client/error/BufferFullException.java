package dev.perigee.client.error;

import org.jspecify.annotations.Nullable;

/** The bounded memory of the producer was full and stayed full for the time the caller was ready to wait. */
public final class BufferFullException extends ClientException {
    private static final long serialVersionUID = 1L;

    public BufferFullException(String what, FailureSite site, @Nullable Throwable cause) {
        super(what, site, cause);
    }

    public BufferFullException(String what, FailureSite site) {
        this(what, site, null);
    }

    @Override
    public boolean isRetryable() {
        return true;
    }

    @Override
    ClientException at(String text, FailureSite place) {
        return new BufferFullException(text, place, getCause());
    }
}
