package dev.perigee.raft.member;

import dev.perigee.loop.OwnedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The members by the log: the newest fact counts from the moment it is in the log, confirmed or not (thesis §4.1), and goes with the
 * bytes that hold it (R15).
 */
@OwnedBy("log loop")
public final class Membership {
    /** Older ones are forgotten: they are confirmed, for each change waits for the one before. */
    private static final int MAX_KEPT = 64;

    private static final long NEVER = Long.MIN_VALUE / 2;

    private MembersFact configured;
    private final Deque<MembersFact> facts = new ArrayDeque<>();
    /** When the last one was taken in that leaves somebody out, in time awake. */
    private long leftOutAwakeMs = NEVER;

    /**
     * As it was found.
     *
     * @param configured what counts while the log says nothing
     * @param found what the log says, oldest first
     */
    public Membership(Members configured, List<MembersFact> found) {
        this.configured = new MembersFact(configured, 0);
        found.forEach(fact -> add(fact, 0));
        leftOutAwakeMs = found.isEmpty() ? NEVER : 0;
    }

    /**
     * The log says so from here on. A restatement of an older fact changes nothing (R30).
     *
     * @param awakeMs now, in time awake, which begins with the process
     */
    public void add(MembersFact fact, long awakeMs) {
        if (fact.factEnd() <= current().factEnd()) {
            return;
        }
        if (members().all().stream()
                .anyMatch(member -> fact.members().find(member.id()).isEmpty())) {
            leftOutAwakeMs = awakeMs;
        }
        facts.addLast(fact);
        if (facts.size() > MAX_KEPT) {
            configured = new MembersFact(facts.removeFirst().members(), 0);
        }
    }

    /** The group begins: now it is known which folders the configured members have (R6). */
    public void bind(Members members) {
        configured = new MembersFact(members, 0);
    }

    /** The log now ends here: what it said behind is taken back. */
    public void cutTo(long endOffset) {
        while (!facts.isEmpty() && facts.getLast().factEnd() > endOffset) {
            facts.removeLast();
        }
    }

    /** Whether the log says who they are; before it does the group has not begun. */
    public boolean isTold() {
        return !facts.isEmpty();
    }

    /**
     * When the log left a member out last, in time awake: what it said before the process began counts as said when that began. Very long ago
     * when it never did.
     */
    public long leftOutAwakeMs() {
        return leftOutAwakeMs;
    }

    /** Whom a group is to begin with: the ids of the configured voters in their order; empty when the log says who the members are. */
    public String toBeginWith() {
        return isTold()
                ? ""
                : members().voters().stream().map(Member::id).sorted().collect(Collectors.joining(","));
    }

    /** What counts now. */
    public MembersFact current() {
        return facts.isEmpty() ? configured : facts.getLast();
    }

    /**
     * Whether a node may lead: a voter; or one that was, as long as the fact that removes it is not confirmed, for it may be the only one
     * that has that fact (thesis §4.2.2). Settings that were there before the first fact name no folder, and all their voters are in that
     * fact: they let nobody lead whose folder it does not name (R6).
     */
    public boolean mayLead(String id, long nodeId, long confirmOffset) {
        return isVoter(members(), id, nodeId)
                || (current().factEnd() > confirmOffset && wasVoter(previous(), id, nodeId));
    }

    private Members previous() {
        MembersFact before = configured;
        for (MembersFact fact : facts) {
            if (fact.equals(facts.getLast())) {
                break;
            }
            before = fact;
        }
        return before.members();
    }

    private static boolean isVoter(Members members, String id, long nodeId) {
        return members.voters().stream().anyMatch(voter -> voter.is(id, nodeId));
    }

    private static boolean wasVoter(Members members, String id, long nodeId) {
        return members.voters().stream().anyMatch(voter -> voter.id().equals(id) && voter.nodeId() == nodeId);
    }

    /** Who counts now. */
    public Members members() {
        return current().members();
    }
}
