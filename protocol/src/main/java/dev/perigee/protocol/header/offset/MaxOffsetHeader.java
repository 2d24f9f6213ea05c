package dev.perigee.protocol.header.offset;

import dev.perigee.protocol.header.DefaultValue;

/**
 * Header of GET_MAX_OFFSET (30).
 */
public record MaxOffsetHeader(
        String topic, int queueId, @DefaultValue("true") boolean committed) {}
