package dev.perigee.protocol.stats;

/**
 * Body of VIEW_BROKER_STATS_DATA (315).
 */
public record BrokerStatsData(StatsItem statsMinute, StatsItem statsHour, StatsItem statsDay) {}
