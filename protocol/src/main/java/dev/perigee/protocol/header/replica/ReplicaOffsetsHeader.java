package dev.perigee.protocol.header.replica;

/**
 * Header of REPLICA_OFFSETS (20005), from replica to sender: its body, {@link dev.perigee.protocol.stats.ReplicaOffsets}, holds
 * what consumers committed to the replica. The answer says that all of it is in the sender's log.
 *
 * @param session the number of the replica's hello
 */
public record ReplicaOffsetsHeader(long session) {}
