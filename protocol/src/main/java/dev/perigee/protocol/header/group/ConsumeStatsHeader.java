package dev.perigee.protocol.header.group;

import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of GET_CONSUME_STATS (208).
 *
 * @param topicList topics joined by {@code ;}
 */
public record ConsumeStatsHeader(
        String consumerGroup,
        @OptionalField @Nullable String topic,
        @OptionalField @Nullable String topicList) {}
