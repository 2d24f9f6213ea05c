package dev.perigee.store.append;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.property.MessageProperties;
import dev.perigee.store.disk.DiskSpace;
import dev.perigee.store.frame.FrameLayout;

/**
 * The limits of the log and its loops.
 *
 * @param segmentSizeBytes size of a log file, for a new log
 * @param flushMode when an append counts as done
 * @param syncFlushTimeoutMs a flush slower than this answers FLUSH_TIMEOUT
 * @param maxUnitBytes the largest unit a client may append; half a segment of the log at hand when that is less
 * @param inboxRequests requests that may wait, a power of two
 * @param inboxBytes bytes that may wait; the same again for units outside of chunk memory
 * @param chunkBytes chunk memory per appender
 * @param fillAheadBytes how far ahead of the tail blocks are written with zeros; 0 for not at all
 * @param space below which free space ordinary appends are refused
 */
@Immutable
public record LogLoopConfig(
        int segmentSizeBytes,
        FlushMode flushMode,
        int syncFlushTimeoutMs,
        int maxUnitBytes,
        int inboxRequests,
        long inboxBytes,
        int chunkBytes,
        int fillAheadBytes,
        DiskSpace.SpaceRule space) {
    /** How much longer than a client's frame one made of it may be: by properties, which have a limit. */
    private static final int OWN_GROWTH_BYTES = MessageProperties.MAX_BYTES;
    /** Of small segments, as tests have them, only this share is given to that. */
    private static final int OWN_GROWTH_SHARE = 8;

    /**
     * The largest unit the broker itself may append, which always fits into a new segment. What it stores is a client's frame
     * or made of one, so a setting that was lowered meanwhile does not keep it out: it may be as large as a client's could
     * ever be in these segments, and the properties that are added.
     */
    int maxOwnUnitBytes() {
        int growth = Math.min(OWN_GROWTH_BYTES, segmentSizeBytes / OWN_GROWTH_SHARE);
        return Math.min(segmentSizeBytes / 2 + growth, FrameLayout.MAX_BYTES);
    }

    /** As this, for a log whose segments have a size of their own: none of its units is larger than half of one. */
    LogLoopConfig forSegmentsOf(int sizeBytes) {
        return new LogLoopConfig(
                sizeBytes,
                flushMode,
                syncFlushTimeoutMs,
                Math.min(maxUnitBytes, sizeBytes / 2),
                inboxRequests,
                inboxBytes,
                chunkBytes,
                Math.min(fillAheadBytes, sizeBytes),
                space);
    }
}
