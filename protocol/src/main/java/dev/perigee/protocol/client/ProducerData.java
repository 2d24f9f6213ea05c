package dev.perigee.protocol.client;

/**
 * One producer group of a client.
 */
public record ProducerData(String groupName) {}
