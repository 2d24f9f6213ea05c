package dev.perigee.store.view;

import dev.perigee.store.log.CommitLog;

/** Says whether a checkpoint belongs to the log at hand. */
record LogIdentity(long logId, int epoch, long startOffset, long endOffset) {
    static LogIdentity of(CommitLog log) {
        return new LogIdentity(log.logId(), log.epoch(), log.startOffset(), log.confirmOffset());
    }

    /** Same log, no later epoch than the tail's, and not outside of what is stored. */
    boolean holds(LogPosition position) {
        return position.logId() == logId
                && position.epoch() <= epoch
                && position.offset() >= startOffset
                && position.offset() <= endOffset;
    }
}
