package dev.perigee.store.log;

import dev.perigee.loop.ThreadSafe;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The log as its readers see it: consecutive segments of equal size, readable below the confirm offset. Offsets are byte
 * positions from the beginning of time; ends are exclusive. Thread-safe.
 */
@ThreadSafe
@SuppressWarnings("DoNotCallSuggester") // bodies follow
public final class CommitLog {
    CommitLog() {}

    /** The random name of this log; views compare it with the one in their checkpoints. 0 before the first start. */
    public long logId() {
        throw new UnsupportedOperationException();
    }

    /** The number of the epoch the tail is written in. */
    public int epoch() {
        throw new UnsupportedOperationException();
    }

    /** The first byte still stored. Always the start of a segment. */
    public long startOffset() {
        throw new UnsupportedOperationException();
    }

    /** The byte after the last frame appended, confirmed or not. */
    public long endOffset() {
        throw new UnsupportedOperationException();
    }

    /** How far the log may be seen. Never falls while the store is open. */
    public long confirmOffset() {
        throw new UnsupportedOperationException();
    }

    /** The byte up to which the log is known to be on the disk; a checkpoint must not cover more. */
    public long syncedOffset() {
        throw new UnsupportedOperationException();
    }

    public int segmentSizeBytes() {
        throw new UnsupportedOperationException();
    }

    /** The start of the segment after the one that holds an offset. */
    public long nextSegmentStart(long offset) {
        throw new UnsupportedOperationException();
    }

    /** All segments, oldest first; the last is the one being written. */
    public List<SegmentRange> segments() {
        throw new UnsupportedOperationException();
    }

    /**
     * Borrows a range in place.
     *
     * @return null when it is not wholly stored, not wholly below the confirm offset, or crosses a segment's end
     */
    public @Nullable SegmentLease lease(long offset, int sizeBytes) {
        throw new UnsupportedOperationException();
    }

    /**
     * Copies bytes below the confirm offset into a buffer, at most up to the end of the segment. May block.
     *
     * @return how many; 0 when there is nothing stored and confirmed at the offset
     */
    public int read(long offset, ByteBuffer target) throws IOException {
        throw new UnsupportedOperationException();
    }

    /**
     * Forgets and deletes whole segments below an offset, never the one being written; those on lease go when the last
     * lease is released. Called by the preparer. May block.
     *
     * @return the new start offset
     */
    public long trimTo(long startOffset) throws IOException {
        throw new UnsupportedOperationException();
    }
}
