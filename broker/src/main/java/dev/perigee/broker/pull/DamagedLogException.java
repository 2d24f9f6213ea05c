package dev.perigee.broker.pull;

/** A frame of the log is not as it was written: it is not served (R28). */
final class DamagedLogException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final long offset;

    DamagedLogException(long offset) {
        super("the log is damaged at offset " + offset + ": what lies there is not served before it is mended");
        this.offset = offset;
    }

    /** Where the frame begins. */
    long offset() {
        return offset;
    }
}
