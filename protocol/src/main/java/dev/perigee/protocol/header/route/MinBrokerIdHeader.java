package dev.perigee.protocol.header.route;

import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of NOTIFY_MIN_BROKER_ID_CHANGE (905).
 */
public record MinBrokerIdHeader(
        @Nullable Long minBrokerId,
        @OptionalField @Nullable String brokerName,
        @OptionalField @Nullable String minBrokerAddr,
        @OptionalField @Nullable String offlineBrokerAddr,
        @OptionalField @Nullable String haBrokerAddr) {}
