package dev.perigee.protocol.stats;

import dev.perigee.protocol.message.MessageQueue;
import java.util.Map;

/**
 * Body of GET_CONSUME_STATS (208).
 */
public record ConsumeStats(Map<MessageQueue, QueueProgress> offsetTable, double consumeTps) {
    public ConsumeStats {
        offsetTable = offsetTable == null ? Map.of() : offsetTable;
    }
}
