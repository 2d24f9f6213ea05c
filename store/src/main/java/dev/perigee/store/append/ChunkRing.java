package dev.perigee.store.append;

import dev.perigee.loop.OwnedBy;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one appender: a ring of direct memory in which units lie consecutively until the log loop has written
 * them. The appender moves the head; the log loop moves the tail, in the same order.
 */
@OwnedBy("event loop")
final class ChunkRing implements ChunkSpace {
    private final ByteBuffer memory;
    /** The log loop's own window on the same memory: limits must not be shared between threads. */
    private final ByteBuffer logMemory;

    private final int sizeBytes;
    /** Running positions; the place in the ring is the position modulo the size. */
    private long head;

    private volatile long tail;

    ChunkRing(int sizeBytes) {
        this.memory = ByteBuffer.allocateDirect(sizeBytes);
        this.logMemory = memory.duplicate();
        this.sizeBytes = sizeBytes;
    }

    /** Lends consecutive space, or null when the log loop has not yet written what is there. */
    @Nullable
    ByteBuffer reserve(int bytes) {
        if (head == tail) {
            long front = roundUp(head); // empty: begin again at the front, where the cache is warm
            head = front;
            tail = front;
        }
        long start = start(bytes);
        if (start + bytes - tail > sizeBytes) {
            return null;
        }
        int at = (int) (start % sizeBytes);
        return memory.limit(at + bytes).position(at);
    }

    /** Hands the space {@link #reserve} lent to a request; it comes back by {@link #release}. */
    void take(AppendRequest request, int bytes) {
        long start = start(bytes);
        head = start + bytes;
        request.bind(logMemory, (int) (start % sizeBytes), bytes, this, head);
    }

    /** Takes the last space back, on the appender's own thread, because nobody else will see it. */
    void untake(int bytes) {
        head -= bytes;
    }

    @Override
    public void release(long spaceEnd, int bytes) {
        tail = spaceEnd;
    }

    private long start(int bytes) {
        return head % sizeBytes + bytes <= sizeBytes ? head : roundUp(head);
    }

    private long roundUp(long position) {
        return (position + sizeBytes - 1) / sizeBytes * sizeBytes;
    }
}
