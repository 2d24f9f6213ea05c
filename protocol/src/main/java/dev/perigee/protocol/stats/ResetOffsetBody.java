package dev.perigee.protocol.stats;

import dev.perigee.protocol.message.MessageQueue;
import java.util.Map;

/**
 * Body of the offset resets 220 and 222.
 */
public record ResetOffsetBody(Map<MessageQueue, Long> offsetTable) {
    public ResetOffsetBody {
        offsetTable = offsetTable == null ? Map.of() : offsetTable;
    }
}
