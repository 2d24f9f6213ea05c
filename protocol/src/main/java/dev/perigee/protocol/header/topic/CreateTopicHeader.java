package dev.perigee.protocol.header.topic;

import dev.perigee.protocol.header.DefaultValue;
import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of UPDATE_AND_CREATE_TOPIC (17).
 *
 * @param attributes comma list of {@code +key=value} and {@code -key}
 */
public record CreateTopicHeader(
        String topic,
        @OptionalField @Nullable String defaultTopic,
        int readQueueNums,
        int writeQueueNums,
        int perm,
        @DefaultValue("SINGLE_TAG") String topicFilterType,
        @Nullable Integer topicSysFlag,
        @DefaultValue("false") boolean order,
        @OptionalField @Nullable String attributes,
        @Nullable Boolean force) {}
