package dev.perigee.protocol.group;

import java.util.List;

/**
 * Body of UPDATE_AND_CREATE_SUBSCRIPTIONGROUP_LIST (225).
 */
public record SubscriptionGroupList(List<SubscriptionGroupConfig> groupConfigList) {
    public SubscriptionGroupList {
        groupConfigList = groupConfigList == null ? List.of() : groupConfigList;
    }
}
