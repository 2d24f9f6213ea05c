package dev.perigee.store.append;

import dev.perigee.loop.Immutable;
import dev.perigee.store.disk.DiskSpace;

/**
 * The limits of the log and its loops.
 *
 * @param segmentSizeBytes size of a log file, for a new log
 * @param flushMode when an append counts as done
 * @param syncFlushTimeoutMs a flush slower than this answers FLUSH_TIMEOUT
 * @param maxUnitBytes the largest unit; half a segment of the log at hand when that is less
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
