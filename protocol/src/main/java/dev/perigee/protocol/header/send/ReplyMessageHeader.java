package dev.perigee.protocol.header.send;

import dev.perigee.protocol.header.DefaultValue;
import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of PUSH_REPLY_MESSAGE_TO_CLIENT (326), sent by the broker.
 */
public record ReplyMessageHeader(
        String producerGroup,
        String topic,
        String defaultTopic,
        int defaultTopicQueueNums,
        int queueId,
        int sysFlag,
        long bornTimestamp,
        int flag,
        @OptionalField @Nullable String properties,
        @DefaultValue("0") int reconsumeTimes,
        @DefaultValue("false") boolean unitMode,
        String bornHost,
        String storeHost,
        long storeTimestamp) {}
