package dev.perigee.protocol.message;

/** Bytes that should be messages are not. The text says where and why. */
public final class MalformedMessageException extends Exception {
    private static final long serialVersionUID = 1L;

    public MalformedMessageException(String reason) {
        super(reason);
    }
}
