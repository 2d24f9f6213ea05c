package dev.perigee.store.queue;

import dev.perigee.loop.OwnedBy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the memory of all queue tails together within its limit: beyond it the block begun longest ago is written and
 * dropped, from whichever queue. When a write fails, blocks wait in memory for the next try, up to {@value
 * #OVERDRAFT} times the limit; then the view gives up.
 */
@OwnedBy("view loop")
final class QueueTails {
    /** How many times the memory limit the tails may hold while their files cannot be written. */
    static final int OVERDRAFT = 4;

    private static final Logger LOG = LoggerFactory.getLogger(QueueTails.class);

    private final QueueConfig config;
    private final QueueFiles files;
    private final ArrayDeque<EntryBlock> byAge = new ArrayDeque<>();
    private volatile long usedBytes;
    private boolean failing;

    QueueTails(QueueConfig config, QueueFiles files) {
        this.config = config;
        this.files = files;
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

    void added(EntryBlock block) {
        byAge.add(block);
        addUsed(block.bytes.length);
        while (usedBytes > config.memoryBytes() && byAge.size() > 1 && evictEldest()) {
            // one block at a time until the tails fit
        }
    }

    private boolean evictEldest() {
        EntryBlock eldest = byAge.element();
        if (eldest.written < eldest.count && !write(eldest.queue)) {
            return false;
        }
        byAge.remove();
        eldest.queue.dropFirst(eldest);
        addUsed(-eldest.bytes.length);
        return true;
    }

    /** Writes the entries of a queue that are not in its files yet; false when that failed and is to be tried later. */
    boolean write(ConsumeQueue queue) {
        try {
            queue.writeBlocks(files);
            if (failing) {
                failing = false;
                LOG.info("event=queue_write_recovered queue={}", queue);
            }
            return true;
        } catch (IOException e) {
            if (!failing) {
                failing = true;
                LOG.error("event=queue_write_failed queue={} action=keep_in_memory", queue, e);
            }
            if (usedBytes > OVERDRAFT * Math.max(config.memoryBytes(), 1 << 20)) {
                throw new UncheckedIOException("queue tails exceed " + OVERDRAFT + " times their memory", e);
            }
            return false;
        }
    }

    /** Takes a queue's blocks out of the account. */
    void release(ConsumeQueue queue) {
        long bytes = 0;
        for (EntryBlock block : queue.blocks()) {
            bytes += block.bytes.length;
        }
        if (bytes > 0) {
            byAge.removeIf(block -> block.queue == queue);
            addUsed(-bytes);
        }
    }

    void clear() {
        byAge.clear();
        usedBytes = 0;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    private void addUsed(long bytes) {
        usedBytes += bytes;
    }
}
