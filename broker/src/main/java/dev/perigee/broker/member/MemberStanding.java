package dev.perigee.broker.member;

import dev.perigee.broker.config.MemberIds;
import dev.perigee.group.GroupStanding;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.raft.RaftOrderHeader;
import dev.perigee.replica.Standing;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A member's place in its group as the parts that serve clients see it: the master's while it leads, hears a majority and its views show all
 * that lies before its own epoch (R31, R32); else a slave's.
 */
@ThreadSafe
public final class MemberStanding implements Standing {
    private static final int NONE = 0;

    /** For so long a master that is one no more leaves its name at NameServers to who comes next: what comes meanwhile is kept as long. */
    static final long NAME_KEPT_MS = ForwardedCalls.KEPT_MS;

    private final Supplier<GroupStanding> group;
    private final String selfId;
    private final boolean besideMaster;
    private final Clock clock;
    /** Of the leadership in which clients are served. */
    private volatile int servedTerm = NONE;

    private volatile boolean handingOver;
    /** What was taken before is answered. */
    private volatile boolean decidesNoMore;

    /** When it ceased to serve; long ago when it never did. */
    private volatile long servedMs = Long.MIN_VALUE / 2;

    private volatile @Nullable SlaveId slaveId;

    /** Its id while it does not lead, among these. */
    private record SlaveId(List<String> members, long id) {}

    /**
     * That of a slave.
     *
     * @param group what the node is now
     * @param selfId its id among the members
     * @param besideMaster whether it is read while it hears its leader
     * @param clock says whether that was heard long ago
     */
    public MemberStanding(Supplier<GroupStanding> group, String selfId, boolean besideMaster, Clock clock) {
        this.group = group;
        this.selfId = selfId;
        this.besideMaster = besideMaster;
        this.clock = clock;
    }

    /** What the node is now. */
    public GroupStanding group() {
        return group.get();
    }

    /** From now on this leadership serves clients. */
    void serve(int term) {
        servedTerm = term;
    }

    /** From now on none does. */
    void serveNoMore() {
        if (servedTerm != NONE) {
            servedMs = clock.monotonicMs();
        }
        handingOver = false;
        decidesNoMore = false;
        servedTerm = NONE;
    }

    /** Whether a leadership was begun to be served, be it over or not. */
    boolean isBegun() {
        return servedTerm != NONE;
    }

    /** Whether the leadership that was begun is that of the node now. */
    boolean isSame(GroupStanding now) {
        return now.leads() && now.term() == servedTerm;
    }

    /** Whether this member is the master of its name now. */
    public boolean serves() {
        GroupStanding now = group.get();
        return servedTerm != NONE && isSame(now) && now.isInTouch(clock.monotonicMs());
    }

    /** From now on nothing is taken that only the master may take: another one is to lead. Duties still answer what was taken. */
    public void beginHandOver() {
        handingOver = true;
    }

    /** From now on duties append nothing either. */
    void decideNoMore() {
        decidesNoMore = true;
    }

    /** That is over, or was given up. */
    public void endHandOver() {
        handingOver = false;
        decidesNoMore = false;
    }

    /** Whether duties append: not while another one is to lead, which must have all. */
    boolean mayDecide() {
        return !decidesNoMore && serves();
    }

    /** Whether this member takes what only the master may take now. */
    public boolean takes() {
        return !handingOver && serves() && group.get().admits();
    }

    /** Whether this is the id of this member. */
    boolean isSelf(String id) {
        return id.equals(selfId);
    }

    /** Whether an order is none of a transfer to this member, or to one that does not vote. */
    boolean mayBeHandedTo(RaftOrderHeader order) {
        String to = order.member();
        return to == null
                || !order.order().equals(RaftOrderHeader.TRANSFER)
                || (!isSelf(to) && group.get().hasVoter(to));
    }

    /** Who leads, when that is another one. */
    public Optional<String> otherLeader() {
        GroupStanding now = group.get();
        return now.leads() ? Optional.empty() : now.leaderId();
    }

    /** Its id at NameServers. */
    public long brokerId() {
        if (serves()) {
            return 0;
        }
        List<String> members = group.get().memberIds();
        SlaveId last = slaveId;
        if (last == null || !last.members().equals(members)) {
            last = new SlaveId(members, MemberIds.of(selfId, members));
            slaveId = last;
        }
        return last.id();
    }

    /** The id that a member has at NameServers while it does not lead. */
    public long slaveId(String member) {
        return MemberIds.of(member, group.get().memberIds());
    }

    /**
     * Whether its name at NameServers is left to the next master, for it was one until just now: would it be told as a slave at once, nobody
     * would be the master until the next one is known. Not of one that leads and hears no majority: nobody may come next.
     */
    public boolean leavesNameToNext() {
        return !serves() && ((isBegun() && !isSame(group.get())) || ceasedWithin(NAME_KEPT_MS));
    }

    /** Whether it is the master, or was one less than so long ago. */
    public boolean servedWithin(long ms) {
        return isBegun() || ceasedWithin(ms);
    }

    private boolean ceasedWithin(long ms) {
        return clock.monotonicMs() - servedMs < ms;
    }

    /** Whether the log tells that it belongs to the group no more, or not yet. */
    public boolean isNoMember() {
        return group.get().isNoMember();
    }

    /** Whether it may speak for the topics of the name: it votes, and lacks nothing that it once had. */
    public boolean knowsTopics() {
        return group.get().isVoter() && notYet().isEmpty();
    }

    @Override
    public boolean isSlave() {
        return !serves();
    }

    /** The one that is served, as far as the view loop knows: the log knows better, and compares. */
    @Override
    public int decidesIn() {
        int term = servedTerm;
        return term == NONE ? -1 : term;
    }

    @Override
    public boolean isMasterHeard() {
        return otherLeader().isPresent() && group.get().isInTouch(clock.monotonicMs());
    }

    @Override
    public Optional<String> notYet() {
        return group.get().sure()
                ? Optional.empty()
                : Optional.of("it may lack what it once had, and is being filled by the leader of its group");
    }

    @Override
    public boolean isReadBesideMaster() {
        return besideMaster;
    }
}
