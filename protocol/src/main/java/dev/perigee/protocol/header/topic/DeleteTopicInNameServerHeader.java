package dev.perigee.protocol.header.topic;

import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of DELETE_TOPIC_IN_NAMESRV (216).
 */
public record DeleteTopicInNameServerHeader(
        String topic, @OptionalField @Nullable String clusterName) {}
