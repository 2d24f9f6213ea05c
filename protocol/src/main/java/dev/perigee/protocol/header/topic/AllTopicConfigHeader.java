package dev.perigee.protocol.header.topic;

import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of GET_ALL_TOPIC_CONFIG (21); all null before 5.4.
 */
public record AllTopicConfigHeader(
        @Nullable Integer topicSeq,
        @OptionalField @Nullable String dataVersion,
        @Nullable Integer maxTopicNum) {}
