package dev.perigee.broker.config;

import dev.perigee.loop.Immutable;

/**
 * Limits of reading.
 *
 * @param maxCountHot messages per pull near the tail
 * @param maxBytesHot bytes per pull near the tail
 * @param maxCountCold messages per pull far from the tail
 * @param maxBytesCold bytes per pull far from the tail
 * @param inMemoryBytes bytes before the tail that count as near
 * @param maxQueryCount messages per query by unique key
 */
@Immutable
public record ReadSettings(
        int maxCountHot, int maxBytesHot, int maxCountCold, int maxBytesCold, long inMemoryBytes, int maxQueryCount) {}
