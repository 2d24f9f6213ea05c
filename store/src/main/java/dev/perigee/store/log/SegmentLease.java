package dev.perigee.store.log;

import dev.perigee.loop.OwnedBy;
import java.nio.ByteBuffer;

/**
 * A borrowed, read-only range of the log. Its segment is not deleted before {@link #release()}, which must be called
 * exactly once, from any thread; a second call throws.
 */
@OwnedBy("borrower")
public final class SegmentLease {
    private final LogSegment segment;
    private final ByteBuffer bytes;
    private boolean released;

    SegmentLease(LogSegment segment, ByteBuffer bytes) {
        this.segment = segment;
        this.bytes = bytes;
    }

    /** The bytes, read-only, position 0, limit = size of the range. Must not be touched after the release. */
    public ByteBuffer bytes() {
        return bytes;
    }

    /** The size of the range, also after the release. */
    public int sizeBytes() {
        return bytes.capacity();
    }

    /**
     * Gives the range back. From any thread.
     *
     * @throws IllegalStateException when it was given back before
     */
    public void release() {
        if (released) {
            throw new IllegalStateException("lease of " + sizeBytes() + " bytes released twice");
        }
        released = true;
        segment.release();
    }
}
