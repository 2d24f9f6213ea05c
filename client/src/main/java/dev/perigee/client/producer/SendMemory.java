package dev.perigee.client.producer;

import dev.perigee.client.error.BufferFullException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.call.Deadline;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * All messages a producer holds, from the send call to the answer, kept below two limits: their number and their bytes.
 * What does not fit waits or is refused, as the caller chooses.
 */
@ThreadSafe
final class SendMemory {
    /** Both numbers lie in one word, so that taking and giving is one step: the messages above, the bytes below. */
    private static final int BYTES_BITS = 40;

    private static final long BYTES_MASK = (1L << BYTES_BITS) - 1;
    private static final int MAX_MESSAGES = (1 << (Long.SIZE - 1 - BYTES_BITS)) - 1;

    private final int limitMessages;
    private final long limitBytes;
    private final AtomicLong used = new AtomicLong();
    /** Guards only the waiting: a message would not do, because the caller's thread itself has to be held back. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition freed = lock.newCondition();
    private final AtomicInteger waiting = new AtomicInteger();

    SendMemory(int limitMessages, long limitBytes) {
        if (limitMessages <= 0 || limitMessages > MAX_MESSAGES || limitBytes <= 0 || limitBytes > BYTES_MASK / 2) {
            throw new IllegalArgumentException("bufferMessages=" + limitMessages + " bufferBytes=" + limitBytes
                    + ", must be 1 to " + MAX_MESSAGES + " and 1 to " + BYTES_MASK / 2);
        }
        this.limitMessages = limitMessages;
        this.limitBytes = limitBytes;
    }

    long usedBytes() {
        return used.get() & BYTES_MASK;
    }

    int usedMessages() {
        return (int) (used.get() >>> BYTES_BITS);
    }

    /** Takes room if there is some. What is above the limits by itself fits when nothing else is held. */
    boolean tryTake(int messages, int bytes) {
        long now = used.get();
        while (now == 0 || fits(now, messages, bytes)) {
            if (used.compareAndSet(now, now + packed(messages, bytes))) {
                return true;
            }
            now = used.get();
        }
        return false;
    }

    private boolean fits(long now, int messages, int bytes) {
        return (now & BYTES_MASK) + bytes <= limitBytes && (now >>> BYTES_BITS) + messages <= limitMessages;
    }

    private static long packed(int messages, int bytes) {
        return ((long) messages << BYTES_BITS) + bytes;
    }

    /** Takes room, waiting for it until the deadline. Blocks. */
    void takeBlocking(int messages, int bytes, String topic, Deadline deadline)
            throws BufferFullException, InterruptedException {
        if (tryTake(messages, bytes)) {
            return;
        }
        lock.lockInterruptibly();
        try {
            waiting.incrementAndGet();
            while (!tryTake(messages, bytes)) {
                long leftMs = deadline.remainingMs();
                if (leftMs == 0) {
                    throw full(messages, bytes, topic, deadline);
                }
                long unused = freed.awaitNanos(TimeUnit.MILLISECONDS.toNanos(leftMs));
            }
        } finally {
            waiting.decrementAndGet();
            lock.unlock();
        }
    }

    /** Waits until nothing is held, at most until the deadline. Blocks; an interrupt ends the waiting and stays set. */
    void awaitEmpty(Deadline deadline) {
        lock.lock();
        try {
            waiting.incrementAndGet();
            while (used.get() != 0 && !deadline.isExpired()) {
                long unused = freed.awaitNanos(TimeUnit.MILLISECONDS.toNanos(deadline.remainingMs()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            waiting.decrementAndGet();
            lock.unlock();
        }
    }

    /** Gives room back. */
    void give(int messages, int bytes) {
        used.addAndGet(-packed(messages, bytes));
        if (waiting.get() > 0) {
            lock.lock();
            try {
                freed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** The failure that says how full it is. */
    BufferFullException full(int messages, int bytes, String topic, Deadline deadline) {
        return new BufferFullException(
                "producer memory full usedMessages=" + usedMessages() + " limitMessages=" + limitMessages
                        + " usedBytes=" + usedBytes() + " limitBytes=" + limitBytes + " wantedMessages=" + messages
                        + " wantedBytes=" + bytes + " waitedMs=" + deadline.elapsedMs(),
                FailureSite.untried(topic, deadline.remainingMs()));
    }
}
