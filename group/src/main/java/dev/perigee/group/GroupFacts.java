package dev.perigee.group;

import dev.perigee.protocol.fact.Fact.MembersChanged;
import dev.perigee.protocol.fact.Fact.MembersChanged.GroupMember;
import dev.perigee.raft.LogEnd;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import dev.perigee.raft.member.MembersFact;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.epoch.EpochTable;
import dev.perigee.store.epoch.MemberFact;
import java.util.List;

/** What the log says, as the Raft node takes it: who the members are, and where a log ends. Pure functions. */
final class GroupFacts {
    private static final int HEX = 16;

    private GroupFacts() {}

    static MembersChanged fact(Members members) {
        return new MembersChanged(told(members.voters()), told(members.learners()));
    }

    private static List<GroupMember> told(List<Member> members) {
        return members.stream()
                .map(member -> new GroupMember(member.id(), Long.toHexString(member.nodeId()), member.address()))
                .toList();
    }

    /**
     * What a fact of the log says.
     *
     * @throws IllegalStateException when that is no group: whoever wrote it runs other code than this
     */
    static MembersFact members(MemberFact fact) {
        try {
            return new MembersFact(
                    new Members(
                            known(fact.members().voters()), known(fact.members().learners())),
                    fact.factEnd());
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(
                    "the log says before " + fact.factEnd() + " that the group is " + fact.members() + ": "
                            + e.getMessage(),
                    e);
        }
    }

    private static List<Member> known(List<GroupMember> members) {
        return members.stream()
                .map(member -> new Member(member.id(), Long.parseUnsignedLong(member.nodeId(), HEX), member.address()))
                .toList();
    }

    /** Where a log with these epochs ends, or ended. */
    static LogEnd endAt(EpochTable epochs, long endOffset) {
        return epochs.cutTo(endOffset)
                .last()
                .map(epoch -> new LogEnd(epoch.number(), epoch.id(), endOffset))
                .orElse(endOffset == 0 ? LogEnd.EMPTY : new LogEnd(0, 0, endOffset));
    }

    /** The same, of a log whose last epoch is known. */
    static LogEnd endIn(Epoch epoch, long endOffset) {
        return new LogEnd(epoch.number(), epoch.id(), endOffset);
    }
}
