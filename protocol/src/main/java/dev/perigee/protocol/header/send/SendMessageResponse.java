package dev.perigee.protocol.header.send;

import dev.perigee.protocol.header.Key;
import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Answer header of a send. A refused send has only the region and trace fields: msgId is null and the numbers are not written.
 *
 * @param msgId offset message ids, comma separated for a batch; null when nothing was stored
 * @param queueOffset offset of the first message
 */
public record SendMessageResponse(
        @OptionalField @Nullable String msgId,
        int queueId,
        long queueOffset,
        @OptionalField @Nullable String transactionId,
        @OptionalField @Nullable String batchUniqId,
        @OptionalField @Nullable String recallHandle,
        @Key("MSG_REGION") @OptionalField @Nullable String region,
        @Key("TRACE_ON") @OptionalField @Nullable String traceOn) {}
