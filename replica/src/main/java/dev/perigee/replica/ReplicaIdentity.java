package dev.perigee.replica;

import dev.perigee.loop.Immutable;

/**
 * Who a broker is towards those it replicates with.
 *
 * @param cluster the cluster it belongs to
 * @param brokerName the name shared by a master and its replicas
 * @param brokerId 0 for the master
 * @param nodeId the name of its data folder
 */
@Immutable
public record ReplicaIdentity(String cluster, String brokerName, long brokerId, NodeId nodeId) {}
