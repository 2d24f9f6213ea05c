package dev.perigee.store.view;

import dev.perigee.store.log.CommitLog;

/**
 * Says whether a checkpoint belongs to the log at hand.
 *
 * @param endOffset how far it is known to be confirmed
 * @param wholeEnd the byte after its last unit, confirmed or not
 */
record LogIdentity(long logId, int epoch, long startOffset, long endOffset, long wholeEnd) {
    static LogIdentity of(CommitLog log) {
        return new LogIdentity(log.logId(), log.epoch(), log.startOffset(), log.confirmOffset(), log.endOffset());
    }

    /** Same log, no later epoch than the tail's, and not outside of what is stored. */
    boolean holds(LogPosition position) {
        return holdsConfirmed(position) && position.offset() <= endOffset;
    }

    /** The same of a position up to which a view has durably applied the log: all that was confirmed then, whoever knows of it now. */
    boolean holdsConfirmed(LogPosition position) {
        return position.logId() == logId
                && position.epoch() <= epoch
                && position.offset() >= startOffset
                && position.offset() <= wholeEnd;
    }
}
