package dev.perigee.client.error;

import org.jspecify.annotations.Nullable;

/** A body is, or shall be, compressed with a codec whose optional library is not on the class path. */
public final class CodecAbsentException extends ClientException {
    private static final long serialVersionUID = 1L;

    public CodecAbsentException(String what, FailureSite site, @Nullable Throwable cause) {
        super(what, site, cause);
    }

    public CodecAbsentException(String what, FailureSite site) {
        this(what, site, null);
    }

    @Override
    public boolean isRetryable() {
        return false;
    }

    @Override
    ClientException at(String text, FailureSite place) {
        return new CodecAbsentException(text, place, getCause());
    }
}
