package dev.perigee.protocol.fact;

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
 */
public record LogHead(
        String logId,
        int epochNumber,
        String epochId,
        long epochStart,
        List<String> members,
        long segmentSizeBytes,
        @Nullable InSyncTold inSync,
        @Nullable Integer featureLevel)
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

    public LogHead {
        members = members == null ? List.of() : members;
    }

    @Override
    public String kind() {
        return KIND;
    }
}
