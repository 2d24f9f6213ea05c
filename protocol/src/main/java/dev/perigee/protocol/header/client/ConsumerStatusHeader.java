package dev.perigee.protocol.header.client;

import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of asking consumers for their positions: 221, 223.
 */
public record ConsumerStatusHeader(
        String topic, String group, @OptionalField @Nullable String clientAddr) {}
