package dev.perigee.protocol.fact;

import java.util.List;

/**
 * The replicas that the master counts from here on: what is confirmed behind this fact is on as many of them as it says it
 * needs. The master itself is not among them.
 *
 * @param members the replicas, by broker id
 */
public record ReplicasInSync(List<InSyncMember> members) implements Fact {
    static final String KIND = "REPLICAS_IN_SYNC";

    public ReplicasInSync {
        members = members == null ? List.of() : List.copyOf(members);
    }

    @Override
    public String kind() {
        return KIND;
    }

    /**
     * One replica in sync.
     *
     * @param brokerId its id within the broker name, above 0
     * @param nodeId the random name of its data folder, hex digits: the same id with another folder is another replica
     */
    public record InSyncMember(long brokerId, String nodeId) implements Comparable<InSyncMember> {
        @Override
        public int compareTo(InSyncMember other) {
            int byId = Long.compare(brokerId, other.brokerId);
            return byId != 0 ? byId : nodeId.compareTo(other.nodeId);
        }

        /** By hand: what the compiler gives a record is linked at its first use, which comes while a group waits for its new leader. */
        @Override
        public boolean equals(Object other) {
            return other instanceof InSyncMember member && brokerId == member.brokerId && nodeId.equals(member.nodeId);
        }

        @Override
        public int hashCode() {
            return 31 * Long.hashCode(brokerId) + nodeId.hashCode();
        }
    }
}
