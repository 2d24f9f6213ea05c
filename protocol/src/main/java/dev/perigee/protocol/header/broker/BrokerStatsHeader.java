package dev.perigee.protocol.header.broker;

/**
 * Header of VIEW_BROKER_STATS_DATA (315).
 */
public record BrokerStatsHeader(String statsName, String statsKey) {}
