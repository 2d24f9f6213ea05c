package dev.perigee.broker.config;

import dev.perigee.loop.Immutable;

/**
 * Limits of reading.
 *
 * @param maxCountNear messages per pull near the tail
 * @param maxBytesNear bytes per pull near the tail
 * @param maxCountFar messages per pull far from the tail
 * @param maxBytesFar bytes per pull far from the tail
 * @param inMemoryBytes bytes before the tail that count as near
 * @param maxQueryCount messages per query by unique key
 */
@Immutable
public record ReadSettings(
        int maxCountNear, int maxBytesNear, int maxCountFar, int maxBytesFar, long inMemoryBytes, int maxQueryCount) {}
