package dev.perigee.group;

import dev.perigee.raft.LogEnd;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.epoch.EpochTable;

/** The end of a log as the Raft node compares it. Pure. */
final class GroupLog {
    private GroupLog() {}

    /** Where a log with these epochs ends, or ended. */
    static LogEnd endAt(EpochTable epochs, long endOffset) {
        return epochs.cutTo(endOffset)
                .last()
                .map(epoch -> new LogEnd(epoch.number(), epoch.id(), endOffset))
                .orElse(endOffset == 0 ? LogEnd.EMPTY : new LogEnd(0, 0, endOffset));
    }

    /** The same, of a log whose last epoch is known. */
    static LogEnd endIn(Epoch epoch, long endOffset) {
        return new LogEnd(epoch.number(), epoch.id(), endOffset);
    }
}
