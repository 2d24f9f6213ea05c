package dev.perigee.protocol.frame;

/** The bytes are not a frame, or its header cannot be read: the connection they came from cannot be trusted any more. */
public final class MalformedFrameException extends Exception {
    private static final long serialVersionUID = 1L;

    public MalformedFrameException(String reason) {
        super(reason);
    }

    public MalformedFrameException(String reason, Throwable cause) {
        super(reason, cause);
    }
}
