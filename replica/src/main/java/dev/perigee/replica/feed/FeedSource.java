package dev.perigee.replica.feed;

import java.nio.ByteBuffer;
import java.util.Optional;

/** The log as a feed reads it: up to its end, confirmed or not. Called on event loops; must not block. */
public interface FeedSource {
    /**
     * Bytes from an offset to the end of its segment, which keep that segment from being deleted until they are released.
     *
     * @param fromOffset where they begin
     * @param bytes position 0 to limit; what lies at or behind the log's end must not be looked at
     * @param release gives them back; to be called once
     */
    record Pinned(long fromOffset, ByteBuffer bytes, Runnable release) {
        /** The end of the segment (exclusive). */
        public long endOffset() {
            return fromOffset + bytes.limit();
        }
    }

    /** The first byte that is stored. */
    long startOffset();

    /** The byte after the last whole unit (exclusive). */
    long endOffset();

    /** How far the log may be seen. */
    long confirmOffset();

    /** Whether the log's end is written in the epoch of this number. */
    boolean endsIn(int epoch);

    /**
     * Whether part of pinned bytes can be read now without waiting for the disk. At most one system call.
     *
     * @param from its first byte
     * @param to the byte after its last (exclusive), not behind the log's end
     */
    boolean isLoaded(Pinned bytes, long from, long to);

    /**
     * From where on this process wrote the bytes up to the log's end, and so lately that they are in memory as they were written;
     * {@link Long#MAX_VALUE} where nothing is known to be.
     */
    long writtenFrom();

    /** The rest of the segment that holds an offset; empty when it is not stored any more, or not yet. */
    Optional<Pinned> pin(long offset);
}
