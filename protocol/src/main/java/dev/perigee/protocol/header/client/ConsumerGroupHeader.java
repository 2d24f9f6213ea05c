package dev.perigee.protocol.header.client;

/**
 * Header of the requests about one consumer group: 38, 40, 203.
 */
public record ConsumerGroupHeader(String consumerGroup) {}
