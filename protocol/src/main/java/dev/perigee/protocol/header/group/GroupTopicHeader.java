package dev.perigee.protocol.header.group;

import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of QUERY_SUBSCRIPTION_BY_CONSUMER (345).
 */
public record GroupTopicHeader(
        String group, @OptionalField @Nullable String topic) {}
