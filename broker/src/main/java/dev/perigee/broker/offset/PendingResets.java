package dev.perigee.broker.offset;

import dev.perigee.broker.client.ClientRegistry;
import dev.perigee.broker.client.ForwardedClient;
import dev.perigee.loop.Clock;
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
 * member that has lost the queue.
 *
 * <p>The reset itself is a fact in the log, and nobody is told before it is applied: a member that was would commit the new
 * offset also when a crash has undone the reset. What is here is only who is to be told, and is forgotten when it serves nobody
 * any more: when somebody goes on from the new offset and those that were told have gone; {@link #KEEP_MS} after the reset,
 * unless a member that was there then is still connected and was not told; and by a restart.
 */
@ThreadSafe
public final class PendingResets {
    /**
     * Queues of groups with a pending reset at most. A reset of one more makes those be forgotten of which no connected
     * member can hold messages from before; when that is not enough it is refused as busy.
     */
    static final int MAX_QUEUES = 500_000;

    /**
     * How long a member that was cut off while its group was reset is told when it comes back. Members that are connected
     * are told however late they pull: a consumer may pause a queue.
     */
    static final long KEEP_MS = 24 * 3_600_000L;

    /** For so long what was sent before a reset may come over a connection that its client has replaced: it is closed without heartbeats. */
    static final long LATE_MS = ClientRegistry.EXPIRY_MS;

    /** For so long it may come by way of another member: that keeps nothing for longer. */
    static final long LATE_BY_A_MEMBER_MS = 15_000;

    /** No reset is to be told of. */
    public static final long NONE = -1;

    /**
     * @param holders the members that were there
     * @param madeMs when
     * @param heldBack the connections that were told and have not pulled again
     * @param settled whether a reader goes on from the new offset
     * @param logged whether no crash undoes it any more: nobody is told before
     */
    private record Reset(
            long offset, Holders holders, long madeMs, Set<Connection> heldBack, boolean settled, boolean logged) {
        Reset with(Connection told) {
            Set<Connection> all = new HashSet<>(heldBack);
            all.add(told);
            return new Reset(offset, holders, madeMs, all, false, logged);
        }

        /** Null when there is nobody else to be held back. */
        @Nullable
        Reset without(Connection back) {
            Set<Connection> rest = new HashSet<>(heldBack);
            rest.remove(back);
            return rest.isEmpty() ? null : new Reset(offset, holders, madeMs, rest, true, logged);
        }

        Reset asSettled() {
            return new Reset(offset, holders, madeMs, heldBack, true, logged);
        }

        Reset asLogged(long loggedOffset) {
            return loggedOffset == offset ? new Reset(offset, holders, madeMs, heldBack, settled, true) : this;
        }

        boolean isOver(long nowMs) {
            return settled
                    ? nowMs - madeMs > KEEP_MS || heldBack.stream().noneMatch(Connection::isOpen)
                    : nowMs - madeMs > KEEP_MS && !holders.isAnyConnected();
        }
    }

    /** @param goneOn the connections whose clients have gone on from the new offset: what they send was not sent before */
    private record Made(long ms, Set<Connection> goneOn) {
        Made with(Connection reader) {
            Set<Connection> all = new HashSet<>(goneOn);
            all.add(reader);
            return new Made(ms, all);
        }
    }

    private final ConcurrentHashMap<GroupQueue, Reset> resets = new ConcurrentHashMap<>();
    /** The last reset of each queue, also when nobody is to be told of it any more; of {@link #MAX_QUEUES} at most. */
    private final ConcurrentHashMap<GroupQueue, Made> made = new ConcurrentHashMap<>();

    private final Clock clock;

    PendingResets(Clock clock) {
        this.clock = clock;
    }

    /** Whether so many more may be pending; forgets for their sake what can be. */
    boolean hasRoom(int more) {
        if (resets.mappingCount() + more > MAX_QUEUES) {
            resets.values().removeIf(reset -> !reset.holders().isAnyConnected());
        }
        return resets.mappingCount() + more <= MAX_QUEUES;
    }

    /** Forgets what serves nobody any more. */
    public void sweep() {
        long nowMs = clock.monotonicMs();
        resets.values().removeIf(reset -> reset.isOver(nowMs));
        made.values().removeIf(reset -> nowMs - reset.ms() > LATE_MS);
    }

    /** The queues that are remembered. */
    int count() {
        return resets.size();
    }

    void put(GroupQueue queue, long offset, Holders holders) {
        long nowMs = clock.monotonicMs();
        resets.put(queue, new Reset(offset, holders, nowMs, Set.of(), false, false));
        if (made.mappingCount() < MAX_QUEUES) {
            made.put(queue, new Made(nowMs, Set.of()));
        } else {
            made.remove(queue);
        }
    }

    /** That offset of a queue is in the log and applied. Gives whether pulls are to be told of it from now on. */
    boolean logged(GroupQueue queue, long offset) {
        if (resets.isEmpty()) {
            return false;
        }
        boolean[] isNews = {false};
        resets.computeIfPresent(queue, (same, before) -> {
            Reset after = before.asLogged(offset);
            isNews[0] = after.logged() && !before.logged();
            return after;
        });
        return isNews[0];
    }

    /** Whether there is nobody to be told of any reset. */
    public boolean isEmpty() {
        return resets.isEmpty();
    }

    /** Whether the next pull of a queue is to be told of its reset. */
    public boolean isPending(String group, String topic, int queueId) {
        Reset reset = resets.get(new GroupQueue(group, topic, queueId));
        return reset != null && reset.logged() && reset.heldBack().isEmpty();
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
     * Whether something that comes on a connection may have been sent before the queue was reset: that was not long ago, nobody has gone on over
     * the connection from the new offset, and it is older, or leads to another member, which may have kept it. Only of what may be late: who
     * reads comes to know of a reset by pulling.
     */
    boolean isOlder(GroupQueue queue, Connection from) {
        Made last = made.isEmpty() ? null : made.get(queue);
        if (last == null || last.goneOn().contains(from)) {
            return false;
        }
        long agoMs = clock.monotonicMs() - last.ms();
        return from instanceof ForwardedClient
                ? agoMs <= LATE_BY_A_MEMBER_MS
                : agoMs <= LATE_MS && from.openedMs() <= last.ms();
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
                goesOn(queue, from);
                return reset.without(from);
            }
            if (reset.heldBack().isEmpty() && isThere && reset.holders().isEmpty()) {
                goesOn(queue, from);
                return null;
            }
            if (reset.settled() || !reset.logged()) {
                return reset;
            }
            if (isThere && !reset.heldBack().isEmpty()) {
                goesOn(queue, from);
                return reset.asSettled();
            }
            told[0] = reset.offset();
            return reset.with(from);
        });
        return told[0];
    }

    private void goesOn(GroupQueue queue, Connection reader) {
        made.computeIfPresent(queue, (same, last) -> last.with(reader));
    }

    /** A reset that cannot come about any more: its queue is gone. */
    void forget(GroupQueue queue) {
        resets.remove(queue);
        made.remove(queue);
    }

    void clear() {
        resets.clear();
        made.clear();
    }

    void forgetTopic(String topic) {
        resets.keySet().removeIf(queue -> queue.topic().equals(topic));
        made.keySet().removeIf(queue -> queue.topic().equals(topic));
    }

    void forgetGroup(String group) {
        resets.keySet().removeIf(queue -> queue.group().equals(group));
        made.keySet().removeIf(queue -> queue.group().equals(group));
    }
}
