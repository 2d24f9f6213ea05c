package dev.perigee.broker.offset;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.Connection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Resets of offsets that no member of the group knows of yet (broker-client §2.1, §4). The next pull of the queue is told;
 * until then commits are not obeyed, since whoever sends them means the position before. From then on those of the
 * connection that was told are not, until it pulls the queue again or closes: what it sent before it read the answer is
 * still on its way. Others that pull are told too until somebody goes on from the new offset, for the first may have been a
 * member that has lost the queue. Soft state: a restart forgets who is to be told, not the new offset, which is in the log.
 */
@ThreadSafe
public final class PendingResets {
    /** Queues of groups with a pending reset at most; a reset of one more is refused as busy. */
    static final int MAX_QUEUES = 500_000;

    /** No reset is to be told of. */
    public static final long NONE = -1;

    /**
     * @param heldBack the connections that were told and have not pulled again
     * @param settled whether a reader goes on from the new offset
     */
    private record Reset(long offset, Members members, Set<Connection> heldBack, boolean settled) {
        Reset with(Connection told) {
            Set<Connection> all = new HashSet<>(heldBack);
            all.add(told);
            return new Reset(offset, members, all, false);
        }

        /** Null when there is nobody else to be held back. */
        @Nullable
        Reset without(Connection back) {
            Set<Connection> rest = new HashSet<>(heldBack);
            rest.remove(back);
            return rest.isEmpty() ? null : new Reset(offset, members, rest, true);
        }
    }

    private final ConcurrentHashMap<GroupQueue, Reset> resets = new ConcurrentHashMap<>();

    /** Whether so many more may be pending. */
    boolean hasRoom(int more) {
        if (resets.mappingCount() + more > MAX_QUEUES) {
            sweep();
        }
        return resets.mappingCount() + more <= MAX_QUEUES;
    }

    /** Forgets those that were told and have closed since. */
    public void sweep() {
        resets.values()
                .removeIf(reset ->
                        !reset.heldBack().isEmpty() && reset.heldBack().stream().noneMatch(Connection::isOpen));
    }

    /** The queues that are remembered. */
    int count() {
        return resets.size();
    }

    void put(GroupQueue queue, long offset, Members members) {
        resets.put(queue, new Reset(offset, members, Set.of(), false));
    }

    void drop(GroupQueue queue) {
        resets.remove(queue);
    }

    /** Whether no pull was told yet of a queue's reset. Cheap when there is no reset at all. */
    public boolean isPending(String group, String topic, int queueId) {
        return !resets.isEmpty() && isPending(new GroupQueue(group, topic, queueId));
    }

    private boolean isPending(GroupQueue queue) {
        Reset reset = resets.get(queue);
        return reset != null && reset.heldBack().isEmpty();
    }

    /**
     * Whether a commit is not obeyed.
     *
     * @param from where it comes from; null when it comes with the pull that ends the wait for its connection
     */
    boolean isHeldBack(GroupQueue queue, @Nullable Connection from) {
        if (resets.isEmpty()) {
            return false;
        }
        Reset reset = resets.get(queue);
        return reset != null && (reset.heldBack().isEmpty() || reset.heldBack().contains(from));
    }

    /**
     * A connection pulls: when nobody goes on from the new offset yet, and it was not told, it is told now.
     * Cheap when there is no reset at all.
     *
     * @return the new offset; {@link #NONE} when there is nothing to tell: no reset, or one made while the group had no
     *     members, who could hold messages from before, to the very offset that is asked for
     */
    public long take(String group, String topic, int queueId, long askedOffset, Connection from) {
        if (resets.isEmpty()) {
            return NONE;
        }
        long[] told = {NONE};
        resets.computeIfPresent(new GroupQueue(group, topic, queueId), (queue, reset) -> {
            boolean isThere = reset.offset() == askedOffset;
            if (reset.heldBack().contains(from)) {
                return reset.without(from);
            }
            if (reset.heldBack().isEmpty() && isThere && reset.members() == Members.NONE) {
                return null;
            }
            if (reset.settled()) {
                return reset;
            }
            if (isThere && !reset.heldBack().isEmpty()) {
                return new Reset(reset.offset(), reset.members(), reset.heldBack(), true);
            }
            told[0] = reset.offset();
            return reset.with(from);
        });
        return told[0];
    }

    void forgetTopic(String topic) {
        resets.keySet().removeIf(queue -> queue.topic().equals(topic));
    }

    void forgetGroup(String group) {
        resets.keySet().removeIf(queue -> queue.group().equals(group));
    }
}
