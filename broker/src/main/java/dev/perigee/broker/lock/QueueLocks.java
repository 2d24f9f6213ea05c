package dev.perigee.broker.lock;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.MessageQueue;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Which client of a group holds which queue. A lock lives {@link #LIFE_MS} after its holder asked last; afterwards anyone
 * may take it. Lost on restart, which is safe: clients ask again every 20 s and read only what they hold. At {@link
 * #MAX_LOCKS} a further queue is not locked, as if somebody else held it; locks that are held can always be renewed.
 */
@ThreadSafe
public final class QueueLocks {
    /** Life of a lock without renewal. */
    public static final long LIFE_MS = 60_000;

    /** Locks held at most, of all groups together. */
    public static final int MAX_LOCKS = 500_000;

    /**
     * What a client got.
     *
     * @param held those of the queues it now holds
     * @param beyondLimit how many it did not get although nobody holds them
     */
    public record Granted(Set<MessageQueue> held, int beyondLimit) {}

    private record Lock(String clientId, long renewedMs) {
        boolean livesAt(long nowMs) {
            return nowMs - renewedMs <= LIFE_MS;
        }
    }

    private final ConcurrentHashMap<String, Map<MessageQueue, Lock>> groups = new ConcurrentHashMap<>();
    private final AtomicInteger count = new AtomicInteger(); // of the locks in all groups
    private final int maxLocks;

    public QueueLocks() {
        this(MAX_LOCKS);
    }

    QueueLocks(int maxLocks) {
        this.maxLocks = maxLocks;
    }

    /**
     * Locks queues for a client, or renews its locks.
     *
     * @param nowMs monotonic milliseconds
     */
    public Granted lock(String group, String clientId, Collection<MessageQueue> queues, long nowMs) {
        Set<MessageQueue> held = new LinkedHashSet<>();
        int[] beyondLimit = new int[1];
        groups.compute(group, (name, known) -> {
            Map<MessageQueue, Lock> locks = known == null ? new ConcurrentHashMap<>() : known;
            for (MessageQueue queue : queues) {
                Lock lock = locks.get(queue);
                if (lock == null && !reserve()) {
                    beyondLimit[0]++;
                } else if (lock == null
                        || !lock.livesAt(nowMs)
                        || lock.clientId().equals(clientId)) {
                    locks.put(queue, new Lock(clientId, nowMs));
                    held.add(queue);
                }
            }
            return locks.isEmpty() ? null : locks;
        });
        return new Granted(held, beyondLimit[0]);
    }

    private boolean reserve() {
        if (count.incrementAndGet() <= maxLocks) {
            return true;
        }
        count.decrementAndGet();
        return false;
    }

    /** Gives up those of the queues that the client holds. */
    public void unlock(String group, String clientId, Collection<MessageQueue> queues) {
        groups.computeIfPresent(group, (name, locks) -> {
            for (MessageQueue queue : queues) {
                Lock lock = locks.get(queue);
                if (lock != null && lock.clientId().equals(clientId)) {
                    locks.remove(queue);
                    count.decrementAndGet();
                }
            }
            return locks.isEmpty() ? null : locks;
        });
    }

    /** The most locks. */
    int limit() {
        return maxLocks;
    }

    /** How many locks are held or not swept yet. */
    int count() {
        return count.get();
    }

    /** Whether any queue of the group is locked. */
    public boolean anyLocked(String group, long nowMs) {
        Map<MessageQueue, Lock> locks = groups.get(group);
        return locks != null && locks.values().stream().anyMatch(lock -> lock.livesAt(nowMs));
    }

    /** Drops expired locks, so that groups that went away leave nothing behind. */
    public void sweep(long nowMs) {
        for (String group : groups.keySet()) {
            groups.computeIfPresent(group, (name, locks) -> {
                int before = locks.size();
                locks.values().removeIf(lock -> !lock.livesAt(nowMs));
                count.addAndGet(locks.size() - before);
                return locks.isEmpty() ? null : locks;
            });
        }
    }
}
