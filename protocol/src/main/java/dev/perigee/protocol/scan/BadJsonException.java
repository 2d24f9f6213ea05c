package dev.perigee.protocol.scan;

/** The bytes are not JSON; the text says where and why. */
public final class BadJsonException extends Exception {
    private static final long serialVersionUID = 1L;

    public BadJsonException(String reason) {
        super(reason);
    }
}
