package dev.perigee.protocol.header.client;

import dev.perigee.protocol.header.Key;
import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of UNREGISTER_CLIENT (35).
 */
public record UnregisterClientHeader(
        @Key("clientID") String clientId,
        @OptionalField @Nullable String producerGroup,
        @OptionalField @Nullable String consumerGroup) {}
