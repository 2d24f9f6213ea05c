package dev.perigee.protocol.header.replica;

import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of EXCHANGE_BROKER_HA_INFO (906): where the master of a name is. A master tells its slaves.
 *
 * @param masterHaAddress where it replicates, {@code host:port}
 * @param masterFlushOffset of stock brokers: up to where its log is on its disk; Perigee neither sends nor reads it
 * @param masterAddress where its clients connect, {@code host:port}
 */
public record HaInfoHeader(
        @OptionalField @Nullable String masterHaAddress,
        @Nullable Long masterFlushOffset,
        @OptionalField @Nullable String masterAddress) {}
