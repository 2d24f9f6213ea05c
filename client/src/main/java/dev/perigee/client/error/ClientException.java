package dev.perigee.client.error;

import org.jspecify.annotations.Nullable;

/**
 * A failed client operation. The text names address, topic, attempt and remaining time; the subclass says what kind of
 * failure it was. Futures of the client are completed exceptionally with the same types.
 */
public abstract class ClientException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient FailureSite site;

    ClientException(String what, FailureSite site, @Nullable Throwable cause) {
        super(what + " [" + site + "]", cause);
        this.site = site;
    }

    /** Where the operation stood when it failed. */
    public final FailureSite site() {
        return site == null ? FailureSite.NOWHERE : site;
    }

    /** Whether the same operation may succeed when it is tried again later, unchanged. */
    public abstract boolean isRetryable();

    /** Whether the operation may have taken effect although it failed: its request may have reached the broker. */
    public boolean mayHaveTakenEffect() {
        return false;
    }
}
