package dev.perigee.protocol.fact;

import dev.perigee.protocol.fact.Fact.MembersChanged.GroupMember;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The first fact of every segment: what one must know to read on from there.
 *
 * @param logId random id of the log
 * @param epochNumber the epoch at the head
 * @param epochId id of that epoch
 * @param epochStart physical offset at which that epoch began
 * @param members the members of the group, empty for a single node
 * @param segmentSizeBytes size of segments when the log was made
 * @param inSync the replicas in sync as the newest fact before says, told again; null when none does
 * @param featureLevel the level of the newest {@link FeatureLevel} before, told again; null for the first one, which needs no such fact
 * @param group who belongs to the group as the newest fact before says, told again behind what the one before that says; null when
 *     none does
 */
public record LogHead(
        String logId,
        int epochNumber,
        String epochId,
        long epochStart,
        List<String> members,
        long segmentSizeBytes,
        @Nullable InSyncTold inSync,
        @Nullable Integer featureLevel,
        @Nullable List<MembersTold> group)
        implements Fact {
    static final String KIND = "LOG_HEAD";

    /**
     * A {@link ReplicasInSync} told again: it changes nothing.
     *
     * @param members whom the fact names
     * @param factEnd the byte after that fact (exclusive)
     */
    public record InSyncTold(List<InSyncMember> members, long factEnd) {
        public InSyncTold {
            members = members == null ? List.of() : List.copyOf(members);
        }
    }

    /**
     * A {@link Fact.MembersChanged} told again: it changes nothing.
     *
     * @param voters as the fact names them
     * @param learners as the fact names them
     * @param factEnd the byte after that fact (exclusive)
     */
    public record MembersTold(List<GroupMember> voters, List<GroupMember> learners, long factEnd) {
        public MembersTold {
            voters = voters == null ? List.of() : List.copyOf(voters);
            learners = learners == null ? List.of() : List.copyOf(learners);
        }
    }

    public LogHead {
        members = members == null ? List.of() : members;
        group = group == null ? null : List.copyOf(group);
    }

    @Override
    public String kind() {
        return KIND;
    }
}
