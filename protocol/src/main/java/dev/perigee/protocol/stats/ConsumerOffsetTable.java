package dev.perigee.protocol.stats;

import dev.perigee.protocol.topic.DataVersion;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Body of GET_ALL_CONSUMER_OFFSET (43): {@code topic@group} to queue to offset.
 */
public record ConsumerOffsetTable(
        Map<String, Map<Integer, Long>> offsetTable,
        @Nullable Map<String, Map<Integer, Long>> pullOffsetTable,
        DataVersion dataVersion) {
    public ConsumerOffsetTable {
        offsetTable = offsetTable == null ? Map.of() : offsetTable;
        dataVersion = dataVersion == null ? DataVersion.NONE : dataVersion;
    }
}
