package dev.perigee.protocol.stats;

import dev.perigee.protocol.topic.DataVersion;
import java.util.Map;

/**
 * Body of GET_ALL_DELAY_OFFSET (45): delay level to offset.
 */
public record DelayOffsetTable(Map<Integer, Long> offsetTable, DataVersion dataVersion) {
    public DelayOffsetTable {
        offsetTable = offsetTable == null ? Map.of() : offsetTable;
        dataVersion = dataVersion == null ? DataVersion.NONE : dataVersion;
    }
}
