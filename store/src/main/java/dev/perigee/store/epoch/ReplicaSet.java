package dev.perigee.store.epoch;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import java.util.List;

/**
 * Replicas that a fact of the log names as in sync.
 *
 * @param members in order
 * @param factEnd the byte after the fact (exclusive), which may lie before the start of a trimmed log
 */
@Immutable
public record ReplicaSet(List<InSyncMember> members, long factEnd) {
    public ReplicaSet {
        members = List.copyOf(members);
    }
}
