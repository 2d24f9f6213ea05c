package dev.perigee.group;

import dev.perigee.loop.Immutable;
import dev.perigee.raft.Role;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import java.util.List;
import java.util.Optional;

/**
 * What a node is in its group, as of the log loop's last pass.
 *
 * @param role of its term
 * @param term the highest it has taken part in
 * @param leaderId who leads that, as far as it is known
 * @param admits whether it takes what clients send
 * @param established whether it leads and its own epoch is confirmed (R31)
 * @param knownToAll as {@link dev.perigee.raft.RaftNode#isKnownToAll}
 * @param inTouchUntilMs as {@link dev.perigee.raft.RaftNode#inTouchUntilMs}: see {@link #isInTouch}
 * @param sure whether it has all that it ever answered for (R5)
 * @param members who belongs to the group, as far as this node's log tells
 * @param place what this node is among them
 */
@Immutable
public record GroupStanding(
        Role.Kind role,
        int term,
        Optional<String> leaderId,
        boolean admits,
        boolean established,
        boolean knownToAll,
        long inTouchUntilMs,
        boolean sure,
        Members members,
        Members.Place place) {
    /** Before the node runs. */
    static GroupStanding before(Members configured) {
        return new GroupStanding(
                Role.Kind.FOLLOWER,
                0,
                Optional.empty(),
                false,
                false,
                false,
                Long.MIN_VALUE,
                false,
                configured,
                Members.Place.UNTOLD);
    }

    /**
     * Whether it heard a majority, or its leader, within an election timeout (R32). Else what it knows may be old, also when it leads:
     * whoever answers for a leader reads the clock for it, for the log loop may have stood still since.
     *
     * @param nowMs monotonic milliseconds
     */
    public boolean isInTouch(long nowMs) {
        return nowMs < inTouchUntilMs;
    }

    /** Whether nothing is another but until when it is in touch, which moves with every heartbeat. */
    boolean isAs(GroupStanding other) {
        return equals(new GroupStanding(
                other.role,
                other.term,
                other.leaderId,
                other.admits,
                other.established,
                other.knownToAll,
                inTouchUntilMs,
                other.sure,
                other.members,
                other.place));
    }

    /** The ids of all members, voters first. */
    public List<String> memberIds() {
        return members.all().stream().map(Member::id).toList();
    }

    /** Whether the log tells that this node belongs to the group no more, or not yet. */
    public boolean isNoMember() {
        return place == Members.Place.NONE;
    }

    /** Whether the log tells that this node votes. */
    public boolean isVoter() {
        return place == Members.Place.VOTER;
    }

    /** Whether the member of this id votes, as far as this node's log tells. */
    public boolean hasVoter(String id) {
        return members.isVoter(id);
    }

    /** Whether this node leads. */
    public boolean leads() {
        return role == Role.Kind.LEADER;
    }

    /**
     * A member as the leader that feeds it sees it.
     *
     * @param id its name
     * @param from where its connection comes from
     * @param heldOffset up to here it says that it holds the log
     * @param lagMs for how long the oldest message that it does not hold has been in the log; 0 when it holds all
     * @param bytesPerSec how fast it takes the log
     * @param counts whether what it holds counts for a majority: it votes, and lacks nothing that it once had
     */
    @Immutable
    public record FedMember(String id, String from, long heldOffset, long lagMs, long bytesPerSec, boolean counts) {}
}
