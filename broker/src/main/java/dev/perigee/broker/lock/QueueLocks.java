package dev.perigee.broker.lock;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.MessageQueue;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which client of a group holds which queue. A lock lives {@link #LIFE_MS} after its holder asked last; afterwards anyone
 * may take it. Lost on restart, which is safe: clients ask again every 20 s and read only what they hold.
 */
@ThreadSafe
public final class QueueLocks {
    /** Life of a lock without renewal. */
    public static final long LIFE_MS = 60_000;

    private record Lock(String clientId, long renewedMs) {
        boolean livesAt(long nowMs) {
            return nowMs - renewedMs <= LIFE_MS;
        }
    }

    private final ConcurrentHashMap<String, Map<MessageQueue, Lock>> groups = new ConcurrentHashMap<>();

    /**
     * Locks queues for a client, or renews its locks.
     *
     * @param nowMs monotonic milliseconds
     * @return those of the queues the client now holds
     */
    public Set<MessageQueue> lock(String group, String clientId, Collection<MessageQueue> queues, long nowMs) {
        Set<MessageQueue> held = new LinkedHashSet<>();
        groups.compute(group, (name, known) -> {
            Map<MessageQueue, Lock> locks = known == null ? new ConcurrentHashMap<>() : known;
            for (MessageQueue queue : queues) {
                Lock lock = locks.get(queue);
                if (lock == null || !lock.livesAt(nowMs) || lock.clientId().equals(clientId)) {
                    locks.put(queue, new Lock(clientId, nowMs));
                    held.add(queue);
                }
            }
            return locks.isEmpty() ? null : locks;
        });
        return held;
    }

    /** Gives up those of the queues that the client holds. */
    public void unlock(String group, String clientId, Collection<MessageQueue> queues) {
        groups.computeIfPresent(group, (name, locks) -> {
            for (MessageQueue queue : queues) {
                Lock lock = locks.get(queue);
                if (lock != null && lock.clientId().equals(clientId)) {
                    locks.remove(queue);
                }
            }
            return locks.isEmpty() ? null : locks;
        });
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
                locks.values().removeIf(lock -> !lock.livesAt(nowMs));
                return locks.isEmpty() ? null : locks;
            });
        }
    }
}
