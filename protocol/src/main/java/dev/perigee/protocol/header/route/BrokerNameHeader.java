package dev.perigee.protocol.header.route;

/**
 * Header of WIPE_WRITE_PERM_OF_BROKER (205) and ADD_WRITE_PERM_OF_BROKER (327).
 */
public record BrokerNameHeader(String brokerName) {}
