package dev.perigee.store.queue;

import dev.perigee.loop.OwnedBy;

/** Looks at single entries of a queue. */
@OwnedBy("its user")
final class EntryProbe implements EntryVisitor {
    /**
     * Where a queue begins when the log begins at {@code logStart}.
     *
     * @param queueOffset of the first entry at or behind that place, be it lost or in a gap
     * @param physicalOffset the place in the log of the first message from there on
     */
    record Beginning(long logStart, long queueOffset, long physicalOffset) {}

    private final ConsumeQueue queue;
    private final ConsumeQueue.Holes holes;
    private long queueOffset;
    private long physicalOffset;
    private int sizeBytes;

    EntryProbe(ConsumeQueue queue, ConsumeQueue.Holes holes) {
        this.queue = queue;
        this.holes = holes;
    }

    /**
     * Goes to the first message at or behind a queue offset, over gaps.
     *
     * @return false when there is none
     */
    boolean seekMessage(long fromOffset) {
        queueOffset = -1;
        int examined;
        for (long at = fromOffset; queueOffset < 0; at += examined) {
            examined = queue.read(at, Integer.MAX_VALUE / 2, holes, this);
            if (examined == 0) {
                queueOffset = fromOffset;
                physicalOffset = Long.MAX_VALUE;
                return false;
            }
        }
        return true;
    }

    /** The first message in [low, high] that lies at or behind a place in the log; the one at {@code high} should. */
    Beginning beginning(long logStart, long low, long high) {
        long from = low;
        long to = high;
        while (from < to) {
            long middle = (from + to) >>> 1;
            seekMessage(middle);
            if (physicalOffset < logStart) {
                from = queueOffset + 1;
            } else {
                to = middle;
            }
        }
        seekMessage(from);
        return new Beginning(logStart, from, physicalOffset);
    }

    @Override
    public boolean visit(long queueOffset, long physicalOffset, int sizeBytes, long tagHash) {
        this.queueOffset = queueOffset;
        this.physicalOffset = physicalOffset;
        this.sizeBytes = sizeBytes;
        return false;
    }

    long queueOffset() {
        return queueOffset;
    }

    long physicalOffset() {
        return physicalOffset;
    }

    int sizeBytes() {
        return sizeBytes;
    }
}
