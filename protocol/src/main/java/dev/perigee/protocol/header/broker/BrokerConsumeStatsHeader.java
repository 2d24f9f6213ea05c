package dev.perigee.protocol.header.broker;

import dev.perigee.protocol.header.Key;

/**
 * Header of GET_BROKER_CONSUME_STATS (317).
 */
public record BrokerConsumeStatsHeader(@Key("isOrder") boolean order) {}
