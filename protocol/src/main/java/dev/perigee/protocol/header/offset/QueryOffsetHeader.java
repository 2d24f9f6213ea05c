package dev.perigee.protocol.header.offset;

import org.jspecify.annotations.Nullable;

/**
 * Header of QUERY_CONSUMER_OFFSET (14).
 *
 * @param setZeroIfNotFound null counts as true
 */
public record QueryOffsetHeader(
        String consumerGroup,
        String topic,
        int queueId,
        @Nullable Boolean setZeroIfNotFound) {}
