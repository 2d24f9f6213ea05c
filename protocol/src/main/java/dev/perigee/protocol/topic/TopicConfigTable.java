package dev.perigee.protocol.topic;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Body of GET_ALL_TOPIC_CONFIG (21) and the topic part of a registration.
 */
public record TopicConfigTable(
        Map<String, TopicConfig> topicConfigTable,
        DataVersion dataVersion,
        @Nullable DataVersion mappingDataVersion,
        @Nullable Map<String, Object> topicQueueMappingDetailMap,
        @Nullable Map<String, Object> topicQueueMappingInfoMap) {
    public TopicConfigTable {
        topicConfigTable = topicConfigTable == null ? Map.of() : topicConfigTable;
        dataVersion = dataVersion == null ? DataVersion.NONE : dataVersion;
    }

    /** A table without static topics. */
    public static TopicConfigTable of(Map<String, TopicConfig> topics, DataVersion version) {
        return new TopicConfigTable(topics, version, new DataVersion(0, version.timestamp(), 0), Map.of(), Map.of());
    }
}
