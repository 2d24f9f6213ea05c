package dev.perigee.store.log;

import dev.perigee.loop.ThreadSafe;

/** The numbers that say how far the log goes. Written by the log loop, read by all. */
@ThreadSafe
public final class LogHorizon {
    private volatile long logId;
    private volatile int epoch;
    private volatile long endOffset;
    private volatile long syncedOffset;
    private volatile long confirmOffset;

    /** Names the log and the epoch its tail is written in. */
    public void epoch(long logId, int epoch) {
        this.logId = logId;
        this.epoch = epoch;
    }

    public long logId() {
        return logId;
    }

    public int epoch() {
        return epoch;
    }

    /** The log now ends here. */
    public void end(long offset) {
        endOffset = offset;
    }

    public long end() {
        return endOffset;
    }

    /** Everything below is on the disk. */
    public void synced(long offset) {
        syncedOffset = offset;
    }

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

    public long confirm() {
        return confirmOffset;
    }
}
