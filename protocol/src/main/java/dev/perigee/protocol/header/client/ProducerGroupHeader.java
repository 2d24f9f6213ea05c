package dev.perigee.protocol.header.client;

/**
 * Header of GET_PRODUCER_CONNECTION_LIST (204).
 */
public record ProducerGroupHeader(String producerGroup) {}
