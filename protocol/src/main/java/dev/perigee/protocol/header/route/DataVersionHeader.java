package dev.perigee.protocol.header.route;

/**
 * Header of QUERY_DATA_VERSION (322).
 */
public record DataVersionHeader(String brokerName, String brokerAddr, String clusterName, long brokerId) {}
