package dev.perigee.store.log;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.epoch.EpochTable;
import dev.perigee.store.epoch.MemberFacts;
import dev.perigee.store.epoch.ReplicaSets;

/** The numbers that say how far the log goes. Written by the log loop, read by all. */
@ThreadSafe
public final class LogHorizon {
    private volatile long logId;
    private volatile int epoch;
    private volatile EpochTable epochs = EpochTable.EMPTY;
    private volatile ReplicaSets replicaSets = ReplicaSets.NONE;
    private volatile MemberFacts members = MemberFacts.NONE;
    private volatile long endOffset;
    private volatile long syncedOffset;
    private volatile long confirmOffset;

    /** Names the log and the epoch its tail is written in. */
    public void epoch(long logId, int epoch) {
        this.logId = logId;
        this.epoch = epoch;
    }

    /** The name of the log; 0 before the log is open. */
    public long logId() {
        return logId;
    }

    /** The epoch the tail is written in; 0 before the log is open. */
    public int epoch() {
        return epoch;
    }

    /** The epochs of the log's bytes; before the end passes the first byte of the last one. */
    public void epochs(EpochTable table) {
        epochs = table;
    }

    /** The epochs of all bytes below an end that was read before; the last may only be about to begin. */
    public EpochTable epochs() {
        return epochs;
    }

    /** Whom the log names as in sync; before the end passes the fact that names the last of them. */
    public void replicaSets(ReplicaSets sets) {
        replicaSets = sets;
    }

    /** Whom the log names as in sync below an end that was read before; the last fact may only be about to be written. */
    public ReplicaSets replicaSets() {
        return replicaSets;
    }

    /** Who belongs to the group as the log says; before the end passes the fact that says so last. */
    public void members(MemberFacts facts) {
        members = facts;
    }

    /** Who belongs to the group below an end that was read before; the last fact may only be about to be written. */
    public MemberFacts members() {
        return members;
    }

    /** The log now ends here. */
    public void end(long offset) {
        endOffset = offset;
    }

    /** The byte after the last frame. */
    public long end() {
        return endOffset;
    }

    /** Everything below is on the disk. */
    public void synced(long offset) {
        syncedOffset = offset;
    }

    /** The byte up to which everything is on the disk (exclusive). */
    public long synced() {
        return syncedOffset;
    }

    /**
     * Everything below may be seen.
     *
     * @throws IllegalStateException when it would fall or pass the end
     */
    public void confirm(long offset) {
        if (offset < confirmOffset || offset > endOffset) {
            throw new IllegalStateException("confirm offset " + offset + " must lie between the one before, "
                    + confirmOffset + ", and the end, " + endOffset);
        }
        confirmOffset = offset;
    }

    /** The byte up to which everything may be seen (exclusive). Never falls. */
    public long confirm() {
        return confirmOffset;
    }
}
