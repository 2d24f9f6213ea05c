package dev.perigee.protocol.header.send;

import dev.perigee.protocol.header.DefaultValue;
import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of CONSUMER_SEND_MSG_BACK (36).
 *
 * @param offset physical offset of the message
 * @param delayLevel 0: by the number of retries; below 0: to the dead letters at once
 * @param maxReconsumeTimes null: the group's limit
 * @param reconsumeTimes how many retries there were, told by consumers that count by themselves; null: the stored message's
 *     count and this one. Stock peers do not know the field and skip it
 */
public record SendBackHeader(
        long offset,
        String group,
        int delayLevel,
        @OptionalField @Nullable String originMsgId,
        @OptionalField @Nullable String originTopic,
        @DefaultValue("false") boolean unitMode,
        @Nullable Integer maxReconsumeTimes,
        @OptionalField @Nullable Integer reconsumeTimes) {}
