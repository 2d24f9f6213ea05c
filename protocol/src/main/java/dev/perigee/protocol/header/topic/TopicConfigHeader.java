package dev.perigee.protocol.header.topic;

import dev.perigee.protocol.header.Key;
import org.jspecify.annotations.Nullable;

/**
 * Header of GET_TOPIC_CONFIG (351).
 */
public record TopicConfigHeader(
        String topic, @Key("lo") @Nullable Boolean logical) {}
