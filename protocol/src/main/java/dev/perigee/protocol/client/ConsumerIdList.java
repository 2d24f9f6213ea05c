package dev.perigee.protocol.client;

import java.util.List;

/**
 * Body of GET_CONSUMER_LIST_BY_GROUP (38).
 */
public record ConsumerIdList(List<String> consumerIdList) {
    public ConsumerIdList {
        consumerIdList = consumerIdList == null ? List.of() : consumerIdList;
    }
}
