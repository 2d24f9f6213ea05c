package dev.perigee.protocol.stats;

import dev.perigee.protocol.fact.QueueCommit;
import java.util.List;

/**
 * Body of REPLICA_OFFSETS (20005): {@code {"entries":[{"g":"group","t":"topic","q":0,"o":12}]}}.
 *
 * @param entries the offsets, each queue of a group once
 */
public record ReplicaOffsets(List<QueueCommit> entries) {
    public ReplicaOffsets {
        entries = entries == null ? List.of() : entries;
    }
}
