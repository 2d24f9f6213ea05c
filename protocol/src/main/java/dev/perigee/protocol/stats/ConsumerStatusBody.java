package dev.perigee.protocol.stats;

import dev.perigee.protocol.message.MessageQueue;
import java.util.Map;

/**
 * Body of the position questions 221 and 223.
 */
public record ConsumerStatusBody(
        Map<MessageQueue, Long> messageQueueTable, Map<String, Map<MessageQueue, Long>> consumerTable) {
    public ConsumerStatusBody {
        messageQueueTable = messageQueueTable == null ? Map.of() : messageQueueTable;
        consumerTable = consumerTable == null ? Map.of() : consumerTable;
    }
}
