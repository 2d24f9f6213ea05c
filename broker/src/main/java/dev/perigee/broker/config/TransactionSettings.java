package dev.perigee.broker.config;

import dev.perigee.loop.Immutable;

/**
 * How undecided transactions are treated.
 *
 * @param rejected whether messages of transactions are refused
 * @param firstCheckMs age of a half at which its producers are asked first, unless the message says otherwise
 * @param checkIntervalMs time between two checks of a half, unless the message says otherwise
 * @param maxChecks checks of a half before it is set aside, unless the message says otherwise
 * @param keptMs age at which a half whose producers never come is set aside
 */
@Immutable
public record TransactionSettings(
        boolean rejected, int firstCheckMs, int checkIntervalMs, int maxChecks, long keptMs) {}
