package dev.perigee.protocol.header.client;

import dev.perigee.protocol.header.DefaultValue;

/**
 * Header of GET_CONSUMER_RUNNING_INFO (307).
 */
public record RunningInfoHeader(
        String consumerGroup,
        String clientId,
        @DefaultValue("false") boolean jstackEnable) {}
