package dev.perigee.store.queue;

import dev.perigee.loop.OwnedBy;
import org.jspecify.annotations.Nullable;

/**
 * A run of consecutive entries of one queue in memory, in the layout of the file. Never reused for another run: a reader
 * may hold it for as long as it likes and looks only at entries below the maximum its queue had published.
 */
@OwnedBy("view loop")
final class EntryBlock {
    final ConsumeQueue queue;
    final long firstOffset;
    final byte[] bytes;
    /** Entries filled in; nothing is added any more once the block was {@link #asked}. */
    int count;
    /** Handed to the {@link dev.perigee.store.block.BlockWriter}. */
    boolean asked;
    /** The neighbours by age among the blocks of all queues, of {@link QueueTails}. */
    @Nullable
    EntryBlock older;

    @Nullable
    EntryBlock younger;
    /** Looked at by {@link QueueTails} for being handed over. */
    boolean passed;

    private volatile boolean inFile;
    private volatile boolean abandoned;

    EntryBlock(ConsumeQueue queue, long firstOffset, int capacity) {
        this.queue = queue;
        this.firstOffset = firstOffset;
        this.bytes = new byte[capacity * QueueEntry.SIZE_BYTES];
    }

    /** Whether the entries are in the queue's file, too. */
    boolean isInFile() {
        return inFile;
    }

    /** Says that they are. The writer. */
    void inFile() {
        inFile = true;
    }

    /** Whether nobody wants the entries any more: the writer passes the block over. */
    boolean isAbandoned() {
        return abandoned;
    }

    /** Says that nobody does. */
    void abandon() {
        abandoned = true;
    }

    @Override
    public String toString() {
        return queue + " from " + firstOffset;
    }

    /** The queue offset behind its last entry. */
    long endOffset() {
        return firstOffset + count;
    }

    boolean isFull() {
        return count * QueueEntry.SIZE_BYTES == bytes.length;
    }

    void add(long physicalOffset, int sizeBytes, long tagHash) {
        QueueEntry.write(bytes, count * QueueEntry.SIZE_BYTES, physicalOffset, sizeBytes, tagHash);
        count++;
    }

    /**
     * Shows entries of a run of blocks to a visitor, up to the end of the block that holds the first.
     *
     * @return the offset after the last one shown, or its complement when the visitor had enough
     */
    static long show(EntryBlock[] blocks, long from, long end, EntryVisitor visitor) {
        int index = indexOf(blocks, from);
        EntryBlock block = blocks[index];
        long runEnd = index + 1 < blocks.length ? Math.min(end, blocks[index + 1].firstOffset) : end;
        int at = (int) (from - block.firstOffset) * QueueEntry.SIZE_BYTES;
        for (long offset = from; offset < runEnd; offset++, at += QueueEntry.SIZE_BYTES) {
            int size = QueueEntry.sizeBytes(block.bytes, at);
            if (size != QueueEntry.NOT_WRITTEN
                    && !visitor.visit(
                            offset,
                            QueueEntry.physicalOffset(block.bytes, at),
                            size,
                            QueueEntry.tagHash(block.bytes, at))) {
                return ~(offset + 1);
            }
        }
        return runEnd;
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
