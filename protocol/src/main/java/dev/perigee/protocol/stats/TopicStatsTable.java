package dev.perigee.protocol.stats;

import dev.perigee.protocol.message.MessageQueue;
import java.util.Map;

/**
 * Body of GET_TOPIC_STATS_INFO (202).
 */
public record TopicStatsTable(Map<MessageQueue, QueueStats> offsetTable, double topicPutTps) {
    public TopicStatsTable {
        offsetTable = offsetTable == null ? Map.of() : offsetTable;
    }
}
