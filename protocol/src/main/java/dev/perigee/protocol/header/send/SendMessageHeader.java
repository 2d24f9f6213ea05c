package dev.perigee.protocol.header.send;

import dev.perigee.protocol.header.DefaultValue;
import dev.perigee.protocol.header.Key;
import dev.perigee.protocol.header.OptionalField;
import dev.perigee.protocol.property.PropertyText;
import org.jspecify.annotations.Nullable;

/**
 * Header of SEND_MESSAGE (10, long names) and SEND_MESSAGE_V2, SEND_BATCH_MESSAGE (310, 320, short names): one type, two codecs.
 *
 * @param defaultTopic template for automatic creation, normally {@code TBW102}
 * @param defaultTopicQueueNums queues of an automatically created topic
 * @param queueId negative: the broker picks one
 * @param bornTimestamp milliseconds, clock of the client
 * @param flag the user's own number, carried untouched
 * @param maxReconsumeTimes −1 when the client did not say
 * @param brokerName the broker meant; only 5.x clients say it
 */
public record SendMessageHeader(
        String producerGroup,
        String topic,
        String defaultTopic,
        int defaultTopicQueueNums,
        int queueId,
        int sysFlag,
        long bornTimestamp,
        int flag,
        @OptionalField @Nullable PropertyText properties,
        @DefaultValue("0") int reconsumeTimes,
        @DefaultValue("false") boolean unitMode,
        @DefaultValue("-1") int maxReconsumeTimes,
        @DefaultValue("false") boolean batch,
        @Key("bname") @OptionalField @Nullable String brokerName) {}
