package dev.perigee.protocol.json;

/** A body is not what its request says it is. The text says why. */
public final class BadBodyException extends Exception {
    private static final long serialVersionUID = 1L;

    public BadBodyException(String reason) {
        super(reason);
    }

    public BadBodyException(String reason, Throwable cause) {
        super(reason, cause);
    }
}
