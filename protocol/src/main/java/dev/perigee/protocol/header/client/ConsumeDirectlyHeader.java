package dev.perigee.protocol.header.client;

import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of CONSUME_MESSAGE_DIRECTLY (309).
 */
public record ConsumeDirectlyHeader(
        String consumerGroup,
        @OptionalField @Nullable String clientId,
        @OptionalField @Nullable String msgId,
        @OptionalField @Nullable String brokerName,
        @OptionalField @Nullable String topic,
        @Nullable Integer topicSysFlag,
        @Nullable Integer groupSysFlag) {}
