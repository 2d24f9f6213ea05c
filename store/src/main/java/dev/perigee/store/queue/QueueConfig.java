package dev.perigee.store.queue;

import dev.perigee.loop.Immutable;

/**
 * Sizes of the consume queues.
 *
 * @param entriesPerFile entries of 20 bytes in one file; changing it for existing files makes them rebuild
 * @param blockEntries entries gathered in memory before they are written, in one write
 * @param memoryBytes what all tails together may keep in memory; beyond it the oldest blocks are written and dropped
 * @param openFiles files kept open for writing; beyond it the longest unused one is closed
 * @param mappedFiles files kept mapped for reading; beyond it all mappings are let go and made anew when asked for
 */
@Immutable
public record QueueConfig(int entriesPerFile, int blockEntries, long memoryBytes, int openFiles, int mappedFiles) {
    public static final QueueConfig DEFAULT = new QueueConfig(300_000, 256, 32L << 20, 256, 8192);

    public QueueConfig {
        if (entriesPerFile < 1 || entriesPerFile > 50_000_000) {
            throw new IllegalArgumentException("entriesPerFile " + entriesPerFile + " not in [1, 50000000]");
        }
        if (blockEntries < 1 || blockEntries > entriesPerFile) {
            throw new IllegalArgumentException("blockEntries " + blockEntries + " not in [1, " + entriesPerFile + "]");
        }
        if (memoryBytes < 0 || openFiles < 1 || mappedFiles < 1) {
            throw new IllegalArgumentException("memoryBytes " + memoryBytes + ", openFiles " + openFiles
                    + ", mappedFiles " + mappedFiles + " must be positive");
        }
    }

    int fileBytes() {
        return entriesPerFile * QueueEntry.SIZE_BYTES;
    }
}
