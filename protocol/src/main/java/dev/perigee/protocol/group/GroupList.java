package dev.perigee.protocol.group;

import java.util.Set;

/**
 * Body of QUERY_TOPIC_CONSUME_BY_WHO (300).
 */
public record GroupList(Set<String> groupList) {
    public GroupList {
        groupList = groupList == null ? Set.of() : groupList;
    }
}
