package dev.perigee.store.log;

import dev.perigee.loop.OwnedBy;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes zeros ahead of the tail, so that an fdatasync finds its blocks already there: 0.09 ms over written blocks, 0.2
 * ms when the file grows.
 *
 * <p>The log loop and the preparer never touch the same bytes: the filler announces where it fills from and then looks at
 * how far the log loop has announced to write; the log loop announces and then looks at the filler. Whoever sees the
 * other ahead of himself yields: the filler gives the step up, the log loop waits for the step (at most {@link
 * #STEP_BYTES}) to end.
 */
@OwnedBy("preparer")
public final class Filler {
    private static final int STEP_BYTES = 4 << 20;
    private static final int PAGE_BYTES = 4096;
    /** A filler that fell behind starts again this far ahead of the tail. */
    private static final int GAP_BYTES = 1 << 20;

    private static final long NOTHING = Long.MAX_VALUE;

    private final LogStorage storage;
    private final int aheadBytes;
    // Guards a step against a cut, which takes away the file a step may be writing to: a step that fails on a closed
    // file counts
    // as a failed force. A message would not do: each of the two may be waiting for the disk on its own thread.
    private final ReentrantLock stepLock = new ReentrantLock();
    private volatile long filledTo;
    private volatile long filling = NOTHING;
    private volatile long writingTo;

    Filler(LogStorage storage, int aheadBytes) {
        this.storage = storage;
        this.aheadBytes = aheadBytes;
    }

    private int stepBytes() {
        return Math.max(PAGE_BYTES, Math.min(STEP_BYTES, storage.segmentSizeBytes() / 4));
    }

    /** Says where the log ends: before anything runs, or while steps are held. */
    public void startAt(long endOffset) {
        writingTo = endOffset;
        filledTo = roundUp(endOffset);
    }

    /** Announces a write up to an offset, and waits for a fill that is already there. Log loop only. */
    void beforeWrite(long endOffset) {
        writingTo = endOffset;
        while (filling < endOffset) {
            Thread.onSpinWait();
        }
    }

    /** Whether a step would do something. */
    public boolean hasWork() {
        LogSegment tail = storage.tail();
        if (tail == null) {
            return false;
        }
        long tailOffset = writingTo;
        if (aheadBytes == 0) {
            return tailOffset + storage.segmentSizeBytes() / 4 > tail.endOffset() && filledTo < tail.endOffset();
        }
        long limit = Math.min(tail.endOffset() + storage.segmentSizeBytes(), tailOffset + aheadBytes);
        return limit - Math.max(filledTo, tailOffset) >= stepBytes();
    }

    /** No step begins until {@link #goOn}; waits for one that is under way. */
    void hold() {
        stepLock.lock();
    }

    /** Steps may begin again. By the thread that held them. */
    void goOn() {
        stepLock.unlock();
    }

    /** Fills one stretch, or creates the next segment. Blocks for a few milliseconds, and while the log is cut. */
    public void step() throws IOException {
        stepLock.lock();
        try {
            stepAlone();
        } finally {
            stepLock.unlock();
        }
    }

    private void stepAlone() throws IOException {
        LogSegment tail = storage.tail();
        if (tail == null) {
            return;
        }
        if (aheadBytes == 0) {
            storage.settle(storage.prepareNext());
            filledTo = tail.endOffset();
            return;
        }
        long tailOffset = writingTo;
        long from = filledTo >= tailOffset ? filledTo : roundUp(tailOffset + GAP_BYTES);
        if (from < tail.endOffset()) {
            fill(tail, from);
        } else {
            LogSegment next = storage.prepareNext();
            if (next.startOffset() != tail.endOffset()) {
                return; // rolled in between: the next call sees the new tail
            }
            fill(next, Math.max(from, next.startOffset()));
        }
    }

    private void fill(LogSegment segment, long from) throws IOException {
        long to = Math.min(segment.endOffset(), from + stepBytes());
        filling = from;
        try {
            if (writingTo > from) {
                filledTo = roundUp(writingTo);
                return;
            }
            segment.fill(from, to);
            filledTo = to;
        } finally {
            filling = NOTHING;
        }
        storage.settle(segment);
    }

    private static long roundUp(long offset) {
        return (offset + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }
}
