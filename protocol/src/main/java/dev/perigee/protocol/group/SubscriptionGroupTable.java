package dev.perigee.protocol.group;

import dev.perigee.protocol.topic.DataVersion;
import java.util.Map;

/**
 * Body of GET_ALL_SUBSCRIPTIONGROUP_CONFIG (201).
 */
public record SubscriptionGroupTable(
        Map<String, SubscriptionGroupConfig> subscriptionGroupTable,
        Map<String, Map<String, Integer>> forbiddenTable,
        DataVersion dataVersion) {
    public SubscriptionGroupTable {
        subscriptionGroupTable = subscriptionGroupTable == null ? Map.of() : subscriptionGroupTable;
        forbiddenTable = forbiddenTable == null ? Map.of() : forbiddenTable;
        dataVersion = dataVersion == null ? DataVersion.NONE : dataVersion;
    }
}
