package dev.perigee.protocol.header.send;

import dev.perigee.protocol.header.DefaultValue;
import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of CONSUMER_SEND_MSG_BACK (36).
 *
 * @param offset physical offset of the message
 */
public record SendBackHeader(
        long offset,
        String group,
        int delayLevel,
        @OptionalField @Nullable String originMsgId,
        @OptionalField @Nullable String originTopic,
        @DefaultValue("false") boolean unitMode,
        @Nullable Integer maxReconsumeTimes) {}
