package dev.perigee.broker.member;

import dev.perigee.group.GroupStanding;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.remoting.Request;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Which orders of tools are not handed over, for they may be of long ago: a member that stood still, or was cut off, finds in its connections
 * what was sent to it meanwhile, while somebody ordered the same of the next leader, and later the contrary. So none is that comes over a connection
 * of before this member was without a leader, or of the moment after: then what waited meanwhile is read. A tool opens a connection for what it
 * orders now.
 */
@ThreadSafe
public final class LateOrders {
    /** A connection that waited while this member stood still is taken in within so long after it notices that. */
    public static final long MOMENT_MS = 1_000;

    private static final Set<Integer> ORDERS = new TreeSet<>(Set.of(
            RequestCode.RAFT_ORDER,
            RequestCode.UPDATE_AND_CREATE_TOPIC,
            RequestCode.UPDATE_AND_CREATE_TOPIC_LIST,
            RequestCode.DELETE_TOPIC_IN_BROKER,
            RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP,
            RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP_LIST,
            RequestCode.DELETE_SUBSCRIPTIONGROUP,
            RequestCode.INVOKE_BROKER_TO_RESET_OFFSET,
            RequestCode.CLONE_GROUP_OFFSET,
            RequestCode.RESUME_CHECK_HALF_MESSAGE));

    private final Supplier<GroupStanding> group;
    private final Clock clock;

    // guarded by this: loops of all kinds look, and each look compares with the one before
    private boolean isWithout = true;
    private String leader = "";
    private long withoutMs = Long.MIN_VALUE / 2;

    /**
     * Of a member that begins.
     *
     * @param group what the node is now
     * @param clock says whether that was heard long ago
     */
    public LateOrders(Supplier<GroupStanding> group, Clock clock) {
        this.group = group;
        this.clock = clock;
    }

    /** Takes note of whether there is a leader now. Any thread. */
    public synchronized void look() {
        GroupStanding now = group.get();
        long nowMs = clock.monotonicMs();
        String leads = now.isInTouch(nowMs) ? now.leaderId().orElse("") : "";
        boolean isOther = !leads.isEmpty() && !leader.isEmpty() && !leads.equals(leader);
        if (isOther || (leads.isEmpty() && !isWithout)) {
            withoutMs = nowMs;
        }
        isWithout = leads.isEmpty();
        leader = leads.isEmpty() ? leader : leads;
    }

    /** Whether this is an order that may be of long ago. Any thread. */
    boolean isOne(Request<?> request) {
        if (!ORDERS.contains(request.code())) {
            return false;
        }
        look();
        return isOfBefore(request.from().openedMs());
    }

    private synchronized boolean isOfBefore(long openedMs) {
        return openedMs < withoutMs + MOMENT_MS;
    }
}
