package dev.perigee.protocol.header.route;

/**
 * Header of UNREGISTER_BROKER (104).
 */
public record UnregisterBrokerHeader(String brokerName, String brokerAddr, String clusterName, long brokerId) {}
