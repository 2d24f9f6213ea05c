package dev.perigee.store.receive;

/** Bytes or a cut that the log does not take. Nothing was changed. */
public final class ReceiveRefusedException extends Exception {
    private static final long serialVersionUID = 1;

    /** What is wrong. */
    public enum Reason {
        /** The bytes belong to another place, or a cut to a place behind the end. */
        PLACE,
        /** The epoch falls, or rises without a frame that says so, or is another one of the same number. */
        EPOCH,
        /** A frame is not as it was written. */
        DAMAGED,
        /** The last unit is not whole, or a unit is interrupted. */
        UNIT,
        /** A blank, the head of a segment or its size are not where or what they must be. */
        SEGMENT,
        /** A fact of a later release that must be understood (R22). */
        FACT,
        /** The bytes are of another log. */
        LOG,
        /** The cut would take confirmed bytes (R24). */
        CONFIRMED,
        /** This node does not receive now, or its log is closed or has failed. */
        NOT_RECEIVING
    }

    private final Reason reason;
    private final long offset;
    private final String expected;
    private final String found;

    /**
     * @param offset where in the log
     * @param expected what would be right there, in words
     * @param found what is there instead
     */
    public ReceiveRefusedException(Reason reason, long offset, String expected, String found) {
        super("at offset " + offset + ": expected " + expected + ", found " + found + " (" + reason + ")");
        this.reason = reason;
        this.offset = offset;
        this.expected = expected;
        this.found = found;
    }

    /** What is wrong. */
    public Reason reason() {
        return reason;
    }

    /** Where in the log. */
    public long offset() {
        return offset;
    }

    /** What would be right there, in words. */
    public String expected() {
        return expected;
    }

    /** What is there instead, in words. */
    public String found() {
        return found;
    }
}
