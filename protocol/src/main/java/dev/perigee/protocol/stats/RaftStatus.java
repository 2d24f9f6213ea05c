package dev.perigee.protocol.stats;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Body of RAFT_STATUS (20017): what a member is in its group.
 *
 * @param group its name
 * @param self which of the members this is
 * @param nodeId the name of its folder, in hexadecimal digits
 * @param address where it listens for the others, {@code host:port}; a build before this member was told says nothing
 * @param role follower, candidate or leader
 * @param term the highest it has taken part in
 * @param leader who leads that, as far as it is known
 * @param serving whether it serves clients as the master
 * @param inTouch whether it heard a majority, or its leader, lately
 * @param sure whether it has all that it ever answered for
 * @param endOffset where its log ends
 * @param confirmOffset up to here it knows it to be confirmed
 * @param members who belongs to the group, as its log says
 */
public record RaftStatus(
        String group,
        String self,
        String nodeId,
        @Nullable String address,
        String role,
        int term,
        @Nullable String leader,
        boolean serving,
        boolean inTouch,
        boolean sure,
        long endOffset,
        long confirmOffset,
        List<RaftMember> members) {
    public RaftStatus {
        members = members == null ? List.of() : members;
    }

    /**
     * One of them.
     *
     * @param id its name
     * @param nodeId the name of its folder, in hexadecimal digits; 0 before the group has begun
     * @param address where it listens for the others
     * @param voter whether it counts; else it only receives
     */
    public record RaftMember(String id, String nodeId, String address, boolean voter) {}
}
