package dev.perigee.protocol.route;

import dev.perigee.protocol.topic.DataVersion;
import dev.perigee.protocol.topic.TopicConfigTable;
import java.util.List;
import java.util.Map;

/**
 * Body of REGISTER_BROKER (103). The compressed form is written and read by {@link RegisterBrokerBodyCodec}.
 */
public record RegisterBrokerBody(TopicConfigTable topicConfigSerializeWrapper, List<String> filterServerList) {
    public RegisterBrokerBody {
        topicConfigSerializeWrapper = topicConfigSerializeWrapper == null
                ? TopicConfigTable.of(Map.of(), DataVersion.NONE)
                : topicConfigSerializeWrapper;
        filterServerList = filterServerList == null ? List.of() : filterServerList;
    }
}
