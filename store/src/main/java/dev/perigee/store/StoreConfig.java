package dev.perigee.store;

import dev.perigee.loop.Immutable;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.append.LogLoopConfig;
import dev.perigee.store.disk.DiskSpace;

/**
 * What can be chosen about a store. The folder is the {@code Disk}'s root.
 *
 * @param segmentSizeBytes size of a log file; an existing log keeps the one it was begun with
 * @param syncFlushTimeoutMs an fsync slower than this answers FLUSH_TIMEOUT
 * @param maxMessageSizeBytes largest body; a batch of small ones is stored in more bytes: at most twice as many and a MiB, and {@link
 *     #MAX_UNIT_BYTES}
 * @param retentionHours age at which a segment may be deleted
 * @param deleteWhen hours of the day, 0–23 separated by {@code ;}, in which age-based deletion runs
 * @param minFreeBytes below max(this, minFreePercent) writes are refused
 * @param inboxRequests requests waiting for the log loop at most, a power of two; then BUSY
 * @param inboxBytes bytes waiting for the log loop at most; then BUSY
 * @param chunkBytes chunk memory per event loop, a power of two
 */
@Immutable
public record StoreConfig(
        int segmentSizeBytes,
        FlushMode flushMode,
        int syncFlushTimeoutMs,
        int maxMessageSizeBytes,
        int retentionHours,
        String deleteWhen,
        long minFreeBytes,
        int minFreePercent,
        int inboxRequests,
        long inboxBytes,
        int chunkBytes,
        boolean keyIndexEnabled) {
    /** The largest share of the disk that can be kept free. */
    public static final int MAX_FREE_PERCENT = 50;

    /**
     * The largest unit of a client, and so the largest write: it fits into one frame of the network, with a head. Others that hold the log take
     * in no larger one, and mend none, so none is appended, also while nobody replicates.
     */
    public static final int MAX_UNIT_BYTES = 15 << 20;

    private static final int MIN_SEGMENT_BYTES = 64 * 1024;
    /** No message may be larger, whatever is configured: a frame must fit the log's own limit. */
    private static final int MAX_MESSAGE_BYTES = 28 << 20;
    /** Beside the bodies: heads, topics and properties. */
    private static final int UNIT_OVERHEAD_BYTES = 1 << 20;
    /** With synchronous flush, blocks are written this far ahead of the tail. */
    private static final int FILL_AHEAD_BYTES = 64 << 20;

    public StoreConfig {
        if (segmentSizeBytes < MIN_SEGMENT_BYTES || segmentSizeBytes % 4096 != 0) {
            throw new IllegalArgumentException("segmentSizeBytes " + segmentSizeBytes
                    + " must be a multiple of 4096 and at least " + MIN_SEGMENT_BYTES);
        }
        if (syncFlushTimeoutMs < 1
                || retentionHours < 1
                || maxMessageSizeBytes < 1024
                || maxMessageSizeBytes > MAX_MESSAGE_BYTES) {
            throw new IllegalArgumentException("syncFlushTimeoutMs " + syncFlushTimeoutMs + " and retentionHours "
                    + retentionHours + " must be at least 1, maxMessageSizeBytes " + maxMessageSizeBytes + " 1024 to "
                    + MAX_MESSAGE_BYTES);
        }
        if (Integer.bitCount(inboxRequests) != 1 || inboxRequests < 64 || inboxBytes < chunkBytes) {
            throw new IllegalArgumentException("inboxRequests " + inboxRequests
                    + " must be a power of two and at least 64, inboxBytes " + inboxBytes + " at least chunkBytes");
        }
        if (Integer.bitCount(chunkBytes) != 1 || chunkBytes < 64 * 1024) {
            throw new IllegalArgumentException(
                    "chunkBytes " + chunkBytes + " must be a power of two and at least 65536");
        }
        if (minFreeBytes < 0 || minFreePercent < 0 || minFreePercent > MAX_FREE_PERCENT) {
            throw new IllegalArgumentException("minFreeBytes " + minFreeBytes + " must not be negative, minFreePercent "
                    + minFreePercent + " 0 to " + MAX_FREE_PERCENT);
        }
    }

    /** The part that concerns the log and its loops. */
    LogLoopConfig logLoopConfig() {
        return new LogLoopConfig(
                segmentSizeBytes,
                flushMode,
                syncFlushTimeoutMs,
                Math.min(2 * maxMessageSizeBytes + UNIT_OVERHEAD_BYTES, MAX_UNIT_BYTES),
                inboxRequests,
                inboxBytes,
                chunkBytes,
                flushMode == FlushMode.SYNC ? FILL_AHEAD_BYTES : 0,
                new DiskSpace.SpaceRule(minFreeBytes, minFreePercent));
    }

    /** What a broker without any configuration runs with. */
    public static StoreConfig defaults() {
        return new StoreConfig(
                1 << 30, FlushMode.SYNC, 5_000, 4 << 20, 72, "04", 2L << 30, 5, 16_384, 64L << 20, 2 << 20, true);
    }

    /** The same with files of this size. */
    public StoreConfig withSegmentSizeBytes(int bytes) {
        return new StoreConfig(
                bytes,
                flushMode,
                syncFlushTimeoutMs,
                maxMessageSizeBytes,
                retentionHours,
                deleteWhen,
                minFreeBytes,
                minFreePercent,
                inboxRequests,
                inboxBytes,
                chunkBytes,
                keyIndexEnabled);
    }

    /** The same with this meaning of an acknowledgement. */
    public StoreConfig withFlushMode(FlushMode mode) {
        return new StoreConfig(
                segmentSizeBytes,
                mode,
                syncFlushTimeoutMs,
                maxMessageSizeBytes,
                retentionHours,
                deleteWhen,
                minFreeBytes,
                minFreePercent,
                inboxRequests,
                inboxBytes,
                chunkBytes,
                keyIndexEnabled);
    }

    /**
     * The same with this much space of the disk, in bytes and in percent, below which new messages are refused; the
     * larger counts.
     */
    public StoreConfig withMinFreeBytes(long bytes, int percent) {
        return new StoreConfig(
                segmentSizeBytes,
                flushMode,
                syncFlushTimeoutMs,
                maxMessageSizeBytes,
                retentionHours,
                deleteWhen,
                bytes,
                percent,
                inboxRequests,
                inboxBytes,
                chunkBytes,
                keyIndexEnabled);
    }
}
