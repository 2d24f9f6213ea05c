package dev.perigee.protocol.topic;

import java.util.List;

/**
 * Body of UPDATE_AND_CREATE_TOPIC_LIST (18).
 */
public record TopicConfigList(List<TopicConfig> topicConfigList) {
    public TopicConfigList {
        topicConfigList = topicConfigList == null ? List.of() : topicConfigList;
    }
}
