package dev.perigee.protocol.header.topic;

import org.jspecify.annotations.Nullable;

/**
 * Answer header of GET_ALL_TOPIC_CONFIG (21).
 */
public record AllTopicConfigResponse(@Nullable Integer totalTopicNum) {}
