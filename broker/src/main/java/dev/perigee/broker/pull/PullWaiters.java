package dev.perigee.broker.pull;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.queue.ArrivalListener;
import dev.perigee.store.queue.ConsumeQueue;
import dev.perigee.store.view.Duty;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * Pulls that found nothing and wait for a message. A waiter is woken at most once: by the first message that may match,
 * by its deadline, or because its topic or the broker goes away. At {@link #MAX_WAITING} waiters a further pull does not
 * wait and is answered "nothing found" at once.
 */
@ThreadSafe
public final class PullWaiters implements ArrivalListener, Duty {
    /** Most pulls that wait at the same time. */
    public static final int MAX_WAITING = 200_000;

    private record QueueKey(String topic, int queueId) {}

    private final ConcurrentHashMap<QueueKey, Set<Waiter>> queues = new ConcurrentHashMap<>();
    private final AtomicInteger count = new AtomicInteger();
    private final Runnable wakeViewLoop;
    private final AtomicLong earliestMs = new AtomicLong(Long.MAX_VALUE);
    private volatile boolean closed;

    /** {@code wakeViewLoop} makes the loop that calls {@link #doWork} ask for its deadline again. */
    public PullWaiters(Runnable wakeViewLoop) {
        this.wakeViewLoop = wakeViewLoop;
    }

    /**
     * Parks a pull.
     *
     * @return false when it may not wait; it is to be answered now
     */
    boolean park(Waiter waiter) {
        if (closed) {
            return false;
        }
        if (count.incrementAndGet() > MAX_WAITING) {
            count.decrementAndGet();
            return false;
        }
        queues.compute(new QueueKey(waiter.topic(), waiter.queueId()), (key, waiters) -> {
            Set<Waiter> all = waiters == null ? ConcurrentHashMap.newKeySet(2) : waiters;
            all.add(waiter);
            return all;
        });
        if (waiter.deadlineMs() < earliestMs.getAndAccumulate(waiter.deadlineMs(), Math::min)) {
            wakeViewLoop.run();
        }
        return !(closed && claim(waiter)); // closed meanwhile, and not woken by it: nobody would wake this one
    }

    /** Takes a waiter back. True for exactly one caller, who then has to see to it. */
    boolean claim(Waiter waiter) {
        boolean[] mine = new boolean[1];
        queues.computeIfPresent(new QueueKey(waiter.topic(), waiter.queueId()), (key, waiters) -> {
            mine[0] = waiters.remove(waiter);
            return waiters.isEmpty() ? null : waiters;
        });
        if (mine[0]) {
            count.decrementAndGet();
        }
        return mine[0];
    }

    /** How many pulls wait. */
    public int count() {
        return count.get();
    }

    @Override
    public void arrived(ConsumeQueue queue, long fromOffset, long toOffset) {
        if (count.get() == 0) {
            return;
        }
        Set<Waiter> waiters = queues.get(new QueueKey(queue.topic(), queue.queueId()));
        if (waiters == null) {
            return;
        }
        for (Waiter waiter : waiters) {
            if (waiter.mayWant(queue, Math.max(fromOffset, waiter.offset()), toOffset) && claim(waiter)) {
                waiter.wake(Waiter.Reason.ARRIVAL);
            }
        }
    }

    /** Wakes every waiter of a topic, because the topic changed or went away. */
    public void wakeTopic(String topic) {
        wakeAll(waiter -> waiter.topic().equals(topic), Waiter.Reason.CHANGED);
    }

    /** Answers every waiter and lets nobody wait any more. */
    public void close() {
        closed = true;
        wakeAll(waiter -> true, Waiter.Reason.DEADLINE);
    }

    @Override
    public int doWork(long nowMs) {
        if (nowMs < earliestMs.get()) {
            return 0;
        }
        earliestMs.set(Long.MAX_VALUE); // a waiter that parks from here on lowers it again
        long nextMs = Long.MAX_VALUE;
        List<Waiter> due = new ArrayList<>();
        for (Set<Waiter> waiters : queues.values()) {
            for (Waiter waiter : waiters) {
                if (waiter.deadlineMs() <= nowMs) {
                    due.add(waiter);
                } else {
                    nextMs = Math.min(nextMs, waiter.deadlineMs());
                }
            }
        }
        earliestMs.accumulateAndGet(nextMs, Math::min);
        for (Waiter waiter : due) {
            if (claim(waiter)) {
                waiter.wake(Waiter.Reason.DEADLINE);
            }
        }
        return due.size();
    }

    @Override
    public long nextDeadlineMs() {
        return earliestMs.get();
    }

    private void wakeAll(Predicate<Waiter> wanted, Waiter.Reason reason) {
        for (Set<Waiter> waiters : queues.values()) {
            for (Waiter waiter : waiters) {
                if (wanted.test(waiter) && claim(waiter)) {
                    waiter.wake(reason);
                }
            }
        }
    }
}
