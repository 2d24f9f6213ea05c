package dev.perigee.client.pull;

import dev.perigee.client.queue.ProcessQueue;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.MessageExt;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What was read and not yet polled, and the one batch that is out with the user. A batch that is out counts as consumed
 * exactly once, whichever of poll, commit and close comes first.
 *
 * <p>A lock guards all of it, because the user's thread has to wait here for what the client loop brings. The callbacks are
 * called without it.
 */
@ThreadSafe
final class PollBuffer {
    /** At this many messages nothing more is pulled until some are polled. */
    static final int MAX_MESSAGES = 10_000;
    /** At this many bytes nothing more is pulled until some messages are polled. */
    static final long MAX_BYTES = 512L << 20;

    /** What one pull brought. Void when its puller was dropped or has moved since. */
    record Fetched(QueuePuller from, int generation, List<ProcessQueue.Slot> slots, List<MessageExt> messages) {
        /** Any thread. */
        boolean isVoid() {
            return from.isDropped() || from.generation() != generation;
        }

        long firstOffset() {
            return messages.get(0).queueOffset();
        }

        private long sizeBytes() {
            long size = 0;
            for (MessageExt message : messages) {
                size += message.storeSizeBytes();
            }
            return size;
        }
    }

    private final Consumer<Fetched> consumed;
    private final Runnable roomMade;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<Fetched> waiting = new ArrayDeque<>();
    private int messages;
    private long bytes;
    private @Nullable Fetched out;
    private boolean closed;

    /**
     * @param consumed told of every batch that counts as consumed, on the thread that makes it count
     * @param roomMade told when the buffer was full and is not any more, on the polling thread or the client loop
     */
    PollBuffer(Consumer<Fetched> consumed, Runnable roomMade) {
        this.consumed = consumed;
        this.roomMade = roomMade;
    }

    void add(Fetched fetched) {
        lock.lock();
        try {
            waiting.add(fetched);
            messages += fetched.messages.size();
            bytes += fetched.sizeBytes();
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Whether more may be pulled. */
    boolean hasRoom() {
        lock.lock();
        try {
            return messages < MAX_MESSAGES && bytes < MAX_BYTES;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The next batch that is not void, which is out with the user then; empty when none comes in time, or when the buffer is
     * closed. Blocks up to the timeout.
     */
    List<MessageExt> next(long timeoutMs) throws InterruptedException {
        Fetched next;
        Fetched before;
        boolean wasFull;
        lock.lockInterruptibly();
        try {
            wasFull = !hasRoom();
            long leftNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
            next = firstValid();
            while (next == null && leftNs > 0 && !closed) {
                leftNs = changed.awaitNanos(leftNs);
                wasFull |= !hasRoom();
                next = firstValid();
            }
            before = out;
            out = next;
        } finally {
            lock.unlock();
        }
        if (before != null) {
            consumed.accept(before); // somebody else polled meanwhile
        }
        tellRoom(wasFull);
        return next == null ? List.of() : next.messages;
    }

    private @Nullable Fetched firstValid() {
        while (true) {
            Fetched first = waiting.poll();
            if (first != null) {
                left(first);
            }
            if (first == null || !first.isVoid()) {
                return first;
            }
        }
    }

    private void left(Fetched fetched) {
        messages -= fetched.messages.size();
        bytes -= fetched.sizeBytes();
    }

    private void tellRoom(boolean wasFull) {
        if (wasFull && hasRoom()) {
            roomMade.run();
        }
    }

    /** The batch that is out with the user counts as consumed from now on; it does so once. */
    void finishOut() {
        Fetched before;
        lock.lock();
        try {
            before = out;
            out = null;
        } finally {
            lock.unlock();
        }
        if (before != null) {
            consumed.accept(before);
        }
    }

    /** Lets go what is void. */
    void dropVoid() {
        boolean wasFull;
        lock.lock();
        try {
            wasFull = !hasRoom();
            for (Iterator<Fetched> all = waiting.iterator(); all.hasNext(); ) {
                Fetched fetched = all.next();
                if (fetched.isVoid()) {
                    all.remove();
                    left(fetched);
                }
            }
        } finally {
            lock.unlock();
        }
        tellRoom(wasFull);
    }

    /** The offset of the first message of a puller that waits here. */
    OptionalLong firstOffset(QueuePuller from) {
        lock.lock();
        try {
            for (Fetched fetched : waiting) {
                if (fetched.from == from && !fetched.isVoid()) {
                    return OptionalLong.of(fetched.firstOffset());
                }
            }
            return OptionalLong.empty();
        } finally {
            lock.unlock();
        }
    }

    /** Wakes whoever polls; nothing waits any more. */
    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
