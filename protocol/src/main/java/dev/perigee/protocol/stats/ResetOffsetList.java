package dev.perigee.protocol.stats;

import dev.perigee.protocol.message.MessageQueue;
import java.util.List;
import java.util.Map;

/**
 * Body of the offset reset 220 for C++ clients, whose JSON has no objects as keys (broker-client §11).
 */
public record ResetOffsetList(List<Entry> offsetTable) {
    /** The new offset of one queue. */
    public record Entry(String topic, String brokerName, int queueId, long offset) {}

    /** The same offsets as a table of other clients. */
    public static ResetOffsetList of(Map<MessageQueue, Long> offsets) {
        return new ResetOffsetList(offsets.entrySet().stream()
                .map(entry -> new Entry(
                        entry.getKey().topic(),
                        entry.getKey().brokerName(),
                        entry.getKey().queueId(),
                        entry.getValue()))
                .toList());
    }
}
