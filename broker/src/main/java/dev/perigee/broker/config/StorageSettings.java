package dev.perigee.broker.config;

import dev.perigee.loop.Immutable;
import dev.perigee.store.StoreConfig;
import dev.perigee.store.append.FlushMode;

/**
 * Where and how messages are kept.
 *
 * @param rootDir folder of everything this broker keeps
 * @param flush when a message counts as stored
 * @param syncFlushTimeoutMs an fsync slower than this is answered 10
 * @param segmentSizeBytes size of one commit log file
 * @param maxMessageSizeBytes largest body
 * @param retentionHours age at which messages go
 * @param deleteWhen hours of the day at which they go, local time, separated by semicolons
 * @param minFreeBytes below max(this, minFreePercent) of free space writes are refused
 * @param minFreePercent percent of the disk
 * @param keyIndex whether messages can be found by key
 */
@Immutable
public record StorageSettings(
        String rootDir,
        FlushDiskType flush,
        int syncFlushTimeoutMs,
        int segmentSizeBytes,
        int maxMessageSizeBytes,
        int retentionHours,
        String deleteWhen,
        long minFreeBytes,
        int minFreePercent,
        boolean keyIndex) {
    /** When a message counts as durable. */
    public FlushMode flushMode() {
        return flush == FlushDiskType.SYNC_FLUSH ? FlushMode.SYNC : FlushMode.ASYNC;
    }

    /** What the store is opened with. */
    public StoreConfig storeConfig() {
        StoreConfig defaults = StoreConfig.defaults();
        return new StoreConfig(
                segmentSizeBytes,
                flushMode(),
                syncFlushTimeoutMs,
                maxMessageSizeBytes,
                retentionHours,
                deleteWhen,
                minFreeBytes,
                minFreePercent,
                defaults.inboxRequests(),
                defaults.inboxBytes(),
                defaults.chunkBytes(),
                keyIndex);
    }
}
