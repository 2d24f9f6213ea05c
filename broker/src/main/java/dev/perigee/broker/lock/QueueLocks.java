package dev.perigee.broker.lock;

import dev.perigee.loop.InOrder;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.MessageQueue;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Which client of a group holds which queue. A lock lives {@link #LIFE_MS} after its holder asked last; afterwards anyone
 * may take it. Only its holder or that time frees it, never the end of a connection: the listener may still be running.
 * Whoever was refused a lock wants it, and its group is to be told when it is free. At {@link #MAX_LOCKS} a further queue is not
 * locked, as if somebody else held it; locks that are held can always be renewed.
 *
 * <p>Locks are lost with the process, but not for those who hold them. So in a group that was there before the start, until
 * {@link #LIFE_MS} after it, a queue is thought to be held by somebody: a client that says which locks it holds is given those,
 * and others only when their holder gives them up (ADR 0023). A client that does not say is given what is asked for first.
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
     * @param inherited how many it did not get because somebody may hold them since before the start
     * @param isFirstWish whether a lock of the group is wanted now and none was before: from now on somebody has to look
     *     whether one expires, with {@link #expireWanted}
     */
    public record Granted(Set<MessageQueue> held, int beyondLimit, int inherited, boolean isFirstWish) {}

    /** @param isWanted whether somebody else was refused it */
    private record Lock(String clientId, long renewedMs, boolean isWanted) {
        boolean livesAt(long nowMs) {
            return nowMs - renewedMs <= LIFE_MS;
        }

        boolean isHeldByOther(String other, long nowMs) {
            return livesAt(nowMs) && !clientId.equals(other);
        }

        /** A lock of before the start, given up: it tells that nobody holds the queue. */
        static Lock givenUp(String clientId, long nowMs) {
            return new Lock(clientId, nowMs - LIFE_MS - 1, false);
        }
    }

    private final ConcurrentHashMap<String, Map<MessageQueue, Lock>> groups = new ConcurrentHashMap<>();
    private final Set<String> wanting = ConcurrentHashMap.newKeySet(); // groups that may have a lock somebody wants
    private final AtomicInteger count = new AtomicInteger(); // of the locks in all groups
    private final LockWays ways = new LockWays();
    private final int maxLocks;
    private volatile Before before;

    /** What is thought of the time before: who was there may hold locks for a while, and nobody gets any until then. */
    private record Before(Set<String> groups, long inheritedUntilMs, long refusedUntilMs) {}

    /**
     * No locks yet.
     *
     * @param groupsBefore the groups that were there before this start, whose members may hold locks
     * @param startedMs when locks can be asked for from now on, monotonic milliseconds
     */
    public QueueLocks(Collection<String> groupsBefore, long startedMs) {
        this(MAX_LOCKS, groupsBefore, startedMs);
    }

    QueueLocks(int maxLocks, Collection<String> groupsBefore, long startedMs) {
        this.maxLocks = maxLocks;
        this.before = new Before(InOrder.copyOf(groupsBefore), startedMs + LIFE_MS, startedMs);
    }

    /**
     * Another broker of the name granted locks before this one: forgets its own, and goes on as after a start.
     *
     * @param groups that are there, whose members may hold locks
     * @param nowMs monotonic milliseconds
     * @param refusedMs for so long nobody is granted any: the broker before may not know yet that it is the master no more (R33)
     */
    public void beginAnew(Collection<String> groups, long nowMs, long refusedMs) {
        before = new Before(InOrder.copyOf(groups), nowMs + LIFE_MS, nowMs + refusedMs);
        dropAll((queue, lock) -> true);
        wanting.clear();
        ways.beginAnew();
    }

    /** By which ways those who hold them speak of them. */
    public LockWays ways() {
        return ways;
    }

    /** Whether somebody may hold a lock of this group since before the start. */
    private boolean inherits(String group, long nowMs) {
        Before then = before;
        return nowMs <= then.inheritedUntilMs() && then.groups().contains(group);
    }

    /**
     * Locks queues for a client, or renews its locks.
     *
     * @param alreadyHeld those of them that it holds as far as it knows; null when it does not say
     * @param nowMs monotonic milliseconds
     */
    public Granted lock(
            String group,
            String clientId,
            Collection<MessageQueue> queues,
            @Nullable Set<MessageQueue> alreadyHeld,
            long nowMs) {
        Set<MessageQueue> held = new LinkedHashSet<>();
        int[] beyondLimit = new int[1];
        int[] inherited = new int[1];
        boolean[] isFirstWish = new boolean[1];
        if (nowMs < before.refusedUntilMs()) {
            return new Granted(Set.of(), 0, queues.size(), false);
        }
        boolean mayBeInherited = alreadyHeld != null && inherits(group, nowMs);
        Set<MessageQueue> own = alreadyHeld == null ? Set.of() : alreadyHeld;
        groups.compute(group, (name, known) -> {
            Map<MessageQueue, Lock> locks = known == null ? new ConcurrentHashMap<>() : known;
            for (MessageQueue queue : queues) {
                Lock lock = locks.get(queue);
                if (lock == null && mayBeInherited && !own.contains(queue)) {
                    inherited[0]++;
                } else if (lock == null && !reserve()) {
                    beyondLimit[0]++;
                } else if (lock != null && lock.isHeldByOther(clientId, nowMs)) {
                    locks.put(queue, new Lock(lock.clientId(), lock.renewedMs(), true));
                    isFirstWish[0] |= wanting.add(name);
                } else {
                    boolean isWanted =
                            lock != null && lock.isWanted() && lock.clientId().equals(clientId);
                    locks.put(queue, new Lock(clientId, nowMs, isWanted));
                    held.add(queue);
                }
            }
            return locks.isEmpty() ? null : locks;
        });
        return new Granted(held, beyondLimit[0], inherited[0], isFirstWish[0]);
    }

    private boolean reserve() {
        if (count.incrementAndGet() <= maxLocks) {
            return true;
        }
        count.decrementAndGet();
        return false;
    }

    /**
     * Gives up those of the queues that the client holds.
     *
     * @param alreadyHeld as in {@link #lock}: what it held since before the start is given up, too
     * @param nowMs monotonic milliseconds
     * @return whether somebody else wanted one of them
     */
    public boolean unlock(
            String group,
            String clientId,
            Collection<MessageQueue> queues,
            @Nullable Set<MessageQueue> alreadyHeld,
            long nowMs) {
        boolean inherits = inherits(group, nowMs);
        if (inherits && alreadyHeld != null) {
            lock(group, clientId, queues.stream().filter(alreadyHeld::contains).toList(), alreadyHeld, nowMs);
        }
        boolean[] wasWanted = new boolean[1];
        groups.computeIfPresent(group, (name, locks) -> {
            for (MessageQueue queue : queues) {
                Lock lock = locks.get(queue);
                if (lock == null || !lock.clientId().equals(clientId)) {
                    continue;
                }
                wasWanted[0] |= lock.isWanted();
                if (inherits) {
                    locks.put(queue, Lock.givenUp(clientId, nowMs));
                } else {
                    locks.remove(queue);
                    count.decrementAndGet();
                }
            }
            return locks.isEmpty() ? null : locks;
        });
        return wasWanted[0];
    }

    /** Who holds a lock that lives, or null. Cheap for a group that locks nothing. */
    public @Nullable String holder(String group, String topic, String brokerName, int queueId, long nowMs) {
        Map<MessageQueue, Lock> locks = groups.get(group);
        Lock lock = locks == null ? null : locks.get(new MessageQueue(topic, brokerName, queueId));
        return lock != null && lock.livesAt(nowMs) ? lock.clientId() : null;
    }

    /** Whether any group may have a lock that somebody wants: then {@link #expireWanted} is to be called every second. */
    public boolean isAnyWanted() {
        return !wanting.isEmpty();
    }

    /** Drops the expired locks of the groups in which somebody wants one; gives the groups that lost a wanted one. */
    public Set<String> expireWanted(long nowMs) {
        if (nowMs <= before.inheritedUntilMs()) {
            return Set.of(); // no lock is older than this process, and what was given up must not be forgotten
        }
        Set<String> freed = new LinkedHashSet<>();
        for (String group : wanting) {
            boolean[] isFreed = new boolean[1];
            groups.compute(group, (name, locks) -> {
                if (locks == null) {
                    wanting.remove(name);
                    return null;
                }
                isFreed[0] = locks.values().stream().anyMatch(lock -> lock.isWanted() && !lock.livesAt(nowMs));
                drop(locks, (queue, lock) -> !lock.livesAt(nowMs));
                if (locks.values().stream().noneMatch(Lock::isWanted)) {
                    wanting.remove(name);
                }
                return locks.isEmpty() ? null : locks;
            });
            if (isFreed[0]) {
                freed.add(group);
            }
        }
        return freed;
    }

    /** Drops all locks of a group that is gone. */
    public void forgetGroup(String group) {
        groups.computeIfPresent(group, (name, locks) -> {
            count.addAndGet(-locks.size());
            return null;
        });
    }

    /** Drops the locks on the queues of a topic that is gone. */
    public void forgetTopic(String topic) {
        dropAll((queue, lock) -> queue.topic().equals(topic));
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

    /** Drops expired locks that nobody wants, so that groups that went away leave nothing behind; and by which way their clients spoke of them. */
    public void sweep(long nowMs) {
        ways.sweep(nowMs);
        if (nowMs <= before.inheritedUntilMs()) {
            return; // as above
        }
        dropAll((queue, lock) -> !lock.isWanted() && !lock.livesAt(nowMs));
    }

    private void dropAll(BiPredicate<MessageQueue, Lock> gone) {
        for (String group : groups.keySet()) {
            groups.computeIfPresent(group, (name, locks) -> {
                drop(locks, gone);
                return locks.isEmpty() ? null : locks;
            });
        }
    }

    private void drop(Map<MessageQueue, Lock> locks, BiPredicate<MessageQueue, Lock> gone) {
        int before = locks.size();
        locks.entrySet().removeIf(entry -> gone.test(entry.getKey(), entry.getValue()));
        count.addAndGet(locks.size() - before);
    }
}
