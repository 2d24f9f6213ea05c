package dev.perigee.protocol.header.offset;

import dev.perigee.protocol.header.DefaultValue;

/**
 * Header of SEARCH_OFFSET_BY_TIMESTAMP (29).
 */
public record SearchOffsetHeader(
        String topic,
        int queueId,
        long timestamp,
        @DefaultValue("LOWER") BoundaryType boundaryType) {}
