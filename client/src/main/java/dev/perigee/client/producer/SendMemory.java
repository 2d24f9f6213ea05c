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

/** The bytes of all messages a producer holds, from the send call to the answer, kept below a limit. */
@ThreadSafe
final class SendMemory {
    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong();
    /** Guards only the waiting: a message would not do, because the caller's thread itself has to be held back. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition freed = lock.newCondition();
    private final AtomicInteger waiting = new AtomicInteger();

    SendMemory(long limitBytes) {
        if (limitBytes <= 0) {
            throw new IllegalArgumentException("limitBytes=" + limitBytes + ", must be above 0");
        }
        this.limitBytes = limitBytes;
    }

    long usedBytes() {
        return usedBytes.get();
    }

    /** Takes bytes if they fit. A single message above the whole limit fits when nothing else is held. */
    boolean tryTake(int bytes) {
        long used = usedBytes.get();
        while (used == 0 || used + bytes <= limitBytes) {
            if (usedBytes.compareAndSet(used, used + bytes)) {
                return true;
            }
            used = usedBytes.get();
        }
        return false;
    }

    /** Takes bytes, waiting for them until the deadline. Blocks. */
    void takeBlocking(int bytes, String topic, Deadline deadline) throws BufferFullException, InterruptedException {
        if (tryTake(bytes)) {
            return;
        }
        lock.lockInterruptibly();
        try {
            waiting.incrementAndGet();
            while (!tryTake(bytes)) {
                long leftMs = deadline.remainingMs();
                if (leftMs == 0) {
                    throw full(bytes, topic, deadline.elapsedMs());
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
            while (usedBytes.get() > 0 && !deadline.isExpired()) {
                long unused = freed.awaitNanos(TimeUnit.MILLISECONDS.toNanos(deadline.remainingMs()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            waiting.decrementAndGet();
            lock.unlock();
        }
    }

    /** Gives bytes back. */
    void give(int bytes) {
        usedBytes.addAndGet(-bytes);
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
    BufferFullException full(int bytes, String topic, long waitedMs) {
        return new BufferFullException(
                "producer memory full usedBytes=" + usedBytes.get() + " limitBytes=" + limitBytes + " wantedBytes="
                        + bytes + " waitedMs=" + waitedMs,
                FailureSite.ofTopic(topic));
    }
}
