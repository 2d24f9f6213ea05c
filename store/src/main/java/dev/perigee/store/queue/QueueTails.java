package dev.perigee.store.queue;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.block.BlockWriter;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the memory of all queue tails together within its limit: beyond it the blocks begun longest ago are handed to the {@link
 * BlockWriter}, from whichever queue, and dropped when they are in their files. Nothing here waits for that. While the writer
 * is behind, or the files cannot be written, the tails hold up to {@value #OVERDRAFT} times the limit; then there is no room, and the
 * view takes no entries until there is: they lie in the log.
 */
@OwnedBy("view loop")
final class QueueTails {
    /** How many times the memory limit the tails may hold while their files are not written. */
    static final int OVERDRAFT = 4;
    /** How many times the limit they hold when new messages should better be refused, should writing fail. */
    static final int PRESSURE = 2;

    private static final int MIN_LIMIT_BYTES = 1 << 20;

    private final QueueConfig config;
    private final QueueFiles files;
    private final BlockWriter<EntryBlock> writer;
    private @Nullable EntryBlock eldest;
    private @Nullable EntryBlock youngest;
    /** The eldest block that was not looked at for being handed over; those before it have been. */
    private @Nullable EntryBlock next;
    /** Bytes of the blocks before {@link #next}. */
    private long aheadBytes;

    private volatile long usedBytes;

    QueueTails(QueueConfig config, QueueFiles files, BlockWriter<EntryBlock> writer) {
        this.config = config;
        this.files = files;
        this.writer = writer;
    }

    QueueConfig config() {
        return config;
    }

    QueueFiles files() {
        return files;
    }

    /** Bytes of entries in memory. Any thread. */
    long usedBytes() {
        return usedBytes;
    }

    /** Whether more entries may come. */
    boolean hasRoom() {
        if (usedBytes > config.memoryBytes()) {
            shrink();
        }
        if (heldBytes() > OVERDRAFT * limitBytes()) {
            writer.retryUnhelped();
        }
        return heldBytes() <= OVERDRAFT * limitBytes();
    }

    /** Whether the tails hold so much that no more should come while files cannot be written. Any thread. */
    boolean isUnderPressure() {
        return heldBytes() > PRESSURE * limitBytes();
    }

    /** With what was released and still waits to be passed over by the writer. */
    private long heldBytes() {
        return Math.max(usedBytes, writer.waitingBytes());
    }

    private long limitBytes() {
        return Math.max(config.memoryBytes(), MIN_LIMIT_BYTES);
    }

    /** A new block, the youngest of all. */
    void added(EntryBlock block) {
        EntryBlock last = youngest;
        if (last == null) {
            eldest = block;
        } else {
            last.younger = block;
            block.older = last;
        }
        youngest = block;
        if (next == null) {
            next = block;
        }
        addUsed(block.bytes.length);
        if (usedBytes > config.memoryBytes()) {
            shrink();
        }
    }

    /** Has a block written whose queue adds nothing more to it. */
    void ask(EntryBlock block) {
        if (!block.asked) {
            block.asked = true;
            writer.take(block);
        }
    }

    /** Hands over as many of the eldest blocks as are too many, and drops those that are in their files. */
    private void shrink() {
        for (EntryBlock each = next; each != null && usedBytes - aheadBytes > config.memoryBytes(); each = next) {
            if (each == youngest) {
                break; // it has just begun, or is all there is
            }
            each.queue.seal(each);
            ask(each);
            pass(each);
        }
        EntryBlock first = eldest;
        while (first != null && usedBytes > config.memoryBytes() && first.isInFile()) {
            first.queue.dropFirst(first);
            unlink(first);
            first = eldest;
        }
    }

    private void pass(EntryBlock block) {
        block.passed = true;
        next = block.younger;
        aheadBytes += block.bytes.length;
    }

    /** Takes a queue's blocks out of the account; they are not written any more. */
    void release(ConsumeQueue queue) {
        for (EntryBlock block : queue.blocks()) {
            block.abandon();
            unlink(block);
        }
    }

    private void unlink(EntryBlock block) {
        EntryBlock older = block.older;
        EntryBlock younger = block.younger;
        if (older == null) {
            eldest = younger;
        } else {
            older.younger = younger;
        }
        if (younger == null) {
            youngest = older;
        } else {
            younger.older = older;
        }
        if (block == next) {
            next = younger;
        }
        if (block.passed) {
            aheadBytes -= block.bytes.length;
        }
        addUsed(-block.bytes.length);
    }

    void clear() {
        eldest = null;
        youngest = null;
        next = null;
        aheadBytes = 0;
        usedBytes = 0;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    private void addUsed(long bytes) {
        usedBytes += bytes;
    }
}
