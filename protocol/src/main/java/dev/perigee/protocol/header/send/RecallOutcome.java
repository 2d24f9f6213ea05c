package dev.perigee.protocol.header.send;

/** What became of a message that was to be taken back. The names are on the wire, in {@link RecallMessageResponse#outcome}. */
public enum RecallOutcome {
    /** It waited and will never be delivered. */
    RECALLED,
    /** It was taken back before, and so is not delivered either. */
    ALREADY_RECALLED,
    /** It is due: being delivered, or delivered. */
    TOO_LATE,
    /** Nothing waits under this handle. */
    UNKNOWN
}
