package dev.perigee.protocol.header.topic;

import dev.perigee.protocol.header.DefaultValue;
import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of UPDATE_AND_CREATE_TOPIC (17).
 *
 * @param defaultTopic mandatory though nobody uses it; tools send {@code TBW102}
 * @param topicFilterType {@code SINGLE_TAG} or {@code MULTI_TAG}
 * @param attributes comma list of {@code +key=value} and {@code -key}
 */
public record CreateTopicHeader(
        String topic,
        String defaultTopic,
        int readQueueNums,
        int writeQueueNums,
        int perm,
        String topicFilterType,
        @Nullable Integer topicSysFlag,
        @DefaultValue("false") boolean order,
        @OptionalField @Nullable String attributes,
        @Nullable Boolean force) {}
