package dev.perigee.store.queue;

import dev.perigee.loop.OwnedBy;

/**
 * A run of consecutive entries of one queue in memory, in the layout of the file. Never reused for another run: a reader
 * may hold it for as long as it likes and looks only at entries below the maximum its queue had published.
 */
@OwnedBy("view loop")
final class EntryBlock {
    final ConsumeQueue queue;
    final long firstOffset;
    final byte[] bytes;
    /** Entries filled in. */
    int count;
    /** Entries that are in the queue's file, too. */
    int written;

    EntryBlock(ConsumeQueue queue, long firstOffset, int capacity) {
        this.queue = queue;
        this.firstOffset = firstOffset;
        this.bytes = new byte[capacity * QueueEntry.SIZE_BYTES];
    }

    boolean isFull() {
        return count * QueueEntry.SIZE_BYTES == bytes.length;
    }

    void add(long physicalOffset, int sizeBytes, long tagHash) {
        QueueEntry.write(bytes, count * QueueEntry.SIZE_BYTES, physicalOffset, sizeBytes, tagHash);
        count++;
    }

    /** The block of a run that holds a queue offset: the last one that begins at or before it. */
    static int indexOf(EntryBlock[] blocks, long queueOffset) {
        int low = 0;
        int high = blocks.length - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (blocks[middle].firstOffset <= queueOffset) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }
}
