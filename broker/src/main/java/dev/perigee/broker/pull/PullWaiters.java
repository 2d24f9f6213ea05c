package dev.perigee.broker.pull;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.Connection;
import dev.perigee.store.queue.ArrivalListener;
import dev.perigee.store.queue.ConsumeQueue;
import dev.perigee.store.view.Duty;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * Pulls that found nothing and wait for a message. A waiter is woken at most once: by the first message that may match,
 * by its deadline, or because its topic, its connection or the broker goes away. At {@link #MAX_WAITING} waiters, or at
 * {@link #MAX_WAITING_BYTES} of what they hold beyond their fixed size, a further pull does not wait and is told to come
 * back later.
 */
@ThreadSafe
public final class PullWaiters implements ArrivalListener, Duty {
    /** Most pulls that wait at the same time. */
    public static final int MAX_WAITING = 200_000;

    /** Most bytes of texts and tags that waiting pulls hold together. */
    public static final long MAX_WAITING_BYTES = 64L << 20;

    /** Waiters that are woken by their deadline in one pass; the next pass wakes more. */
    static final int MAX_WAKES = 1_000;

    /** Whether a pull may wait. */
    enum Parking {
        PARKED,
        /** There is no room; it is to come back later. */
        FULL,
        /** Nobody waits any more; it is to be answered now. */
        CLOSED
    }

    private record QueueKey(String topic, int queueId) {}

    private final ConcurrentHashMap<QueueKey, Set<Waiter>> queues = new ConcurrentHashMap<>();
    /** An entry stays until its connection closes, so that this is told of the closing once. */
    private final ConcurrentHashMap<Connection, Set<Waiter>> connections = new ConcurrentHashMap<>();

    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong heldBytes = new AtomicLong();
    private final long maxHeldBytes;
    private final Runnable wakeViewLoop;
    private final Deadlines deadlines = new Deadlines();
    private volatile boolean closed;

    /** {@code wakeViewLoop} makes the loop that calls {@link #doWork} ask for its deadline again. */
    public PullWaiters(Runnable wakeViewLoop) {
        this(wakeViewLoop, MAX_WAITING_BYTES);
    }

    PullWaiters(Runnable wakeViewLoop, long maxHeldBytes) {
        this.wakeViewLoop = wakeViewLoop;
        this.maxHeldBytes = maxHeldBytes;
    }

    /** Parks a pull, unless it may not wait. */
    Parking park(Waiter waiter) {
        if (closed) {
            return Parking.CLOSED;
        }
        if (!reserve(waiter)) {
            return Parking.FULL;
        }
        queues.compute(new QueueKey(waiter.topic(), waiter.queueId()), (key, waiters) -> {
            Set<Waiter> all = waiters == null ? ConcurrentHashMap.newKeySet(2) : waiters;
            all.add(waiter);
            return all;
        });
        if (deadlines.add(waiter)) {
            wakeViewLoop.run();
        }
        tie(waiter);
        boolean alone = closed && claim(waiter); // closed meanwhile, and not woken by it: nobody would wake this one
        return alone ? Parking.CLOSED : Parking.PARKED;
    }

    private boolean reserve(Waiter waiter) {
        boolean fits = count.incrementAndGet() <= MAX_WAITING;
        if (heldBytes.addAndGet(waiter.heldBytes()) <= maxHeldBytes && fits) {
            return true;
        }
        release(waiter);
        return false;
    }

    private void release(Waiter waiter) {
        count.decrementAndGet();
        heldBytes.addAndGet(-waiter.heldBytes());
    }

    /** Lets the waiter go when its connection does, also when that is closed already. */
    private void tie(Waiter waiter) {
        boolean[] first = new boolean[1];
        connections.compute(waiter.connection(), (connection, known) -> {
            first[0] = known == null;
            Set<Waiter> all = known == null ? ConcurrentHashMap.newKeySet(2) : known;
            all.add(waiter);
            return all;
        });
        if (first[0]) {
            waiter.connection().onClose(this::gone);
        }
    }

    private void untie(Waiter waiter) {
        Set<Waiter> all = connections.get(waiter.connection());
        if (all != null) {
            all.remove(waiter);
        }
    }

    private void gone(Connection connection) {
        Set<Waiter> waiters = connections.remove(connection);
        if (waiters != null) {
            for (Waiter waiter : waiters) {
                if (claim(waiter)) {
                    waiter.wake(Waiter.Reason.GONE);
                }
            }
        }
    }

    /** Takes a waiter back. True for exactly one caller, who then has to see to it. */
    boolean claim(Waiter waiter) {
        boolean[] mine = new boolean[1];
        queues.computeIfPresent(new QueueKey(waiter.topic(), waiter.queueId()), (key, waiters) -> {
            mine[0] = waiters.remove(waiter);
            return waiters.isEmpty() ? null : waiters;
        });
        if (mine[0]) {
            release(waiter);
            deadlines.remove(waiter);
            untie(waiter);
        }
        return mine[0];
    }

    /** What the waiting pulls hold together, as {@link Waiter#heldBytes} counts it. */
    long heldBytes() {
        return heldBytes.get();
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

    /** Wakes every waiter of a group, because the group changed or went away. */
    public void wakeGroup(String group) {
        wakeAll(waiter -> waiter.group().equals(group), Waiter.Reason.CHANGED);
    }

    /** Wakes every waiter, because another broker may be the master now. */
    public void wakeAll() {
        wakeAll(waiter -> true, Waiter.Reason.CHANGED);
    }

    /** Answers every waiter and lets nobody wait any more. */
    public void close() {
        closed = true;
        wakeAll(waiter -> true, Waiter.Reason.DEADLINE);
    }

    @Override
    public int doWork(long nowMs) {
        List<Waiter> due = deadlines.due(nowMs, MAX_WAKES);
        for (Waiter waiter : due) {
            if (claim(waiter)) {
                waiter.wake(Waiter.Reason.DEADLINE);
            } else {
                deadlines.remove(waiter); // woken before it was put there
            }
        }
        return due.size();
    }

    @Override
    public long nextDeadlineMs() {
        return deadlines.earliestMs();
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
