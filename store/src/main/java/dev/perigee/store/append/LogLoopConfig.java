package dev.perigee.store.append;

import dev.perigee.loop.Immutable;
import dev.perigee.store.log.Preparer;

/**
 * The limits of the log and its loops.
 *
 * @param segmentSizeBytes size of a log file, for a new log
 * @param flushMode when an append counts as done
 * @param syncFlushTimeoutMs a flush slower than this answers FLUSH_TIMEOUT
 * @param maxUnitBytes the largest unit
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
        Preparer.SpaceRule space) {}
