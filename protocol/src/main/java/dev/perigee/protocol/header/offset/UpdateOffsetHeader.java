package dev.perigee.protocol.header.offset;

/**
 * Header of UPDATE_CONSUMER_OFFSET (15).
 */
public record UpdateOffsetHeader(String consumerGroup, String topic, int queueId, long commitOffset) {}
