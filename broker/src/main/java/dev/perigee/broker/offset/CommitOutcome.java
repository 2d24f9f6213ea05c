package dev.perigee.broker.offset;

/** What became of a commit. */
public enum CommitOutcome {
    /** It counts. */
    TAKEN,
    /** It is smaller than what is known, and the committer may not move the offset back. */
    SMALLER,
    /** The offset was reset, and the member that commits does not know of it yet. */
    RESET_PENDING,
    /** Too many offsets wait to be logged. */
    BUSY
}
