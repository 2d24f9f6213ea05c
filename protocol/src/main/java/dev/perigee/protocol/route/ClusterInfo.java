package dev.perigee.protocol.route;

import java.util.Map;
import java.util.Set;

/**
 * Body of GET_BROKER_CLUSTER_INFO (106).
 */
public record ClusterInfo(Map<String, BrokerData> brokerAddrTable, Map<String, Set<String>> clusterAddrTable) {
    public ClusterInfo {
        brokerAddrTable = brokerAddrTable == null ? Map.of() : brokerAddrTable;
        clusterAddrTable = clusterAddrTable == null ? Map.of() : clusterAddrTable;
    }
}
