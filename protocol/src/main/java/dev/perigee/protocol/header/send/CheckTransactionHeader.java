package dev.perigee.protocol.header.send;

import dev.perigee.protocol.header.Key;
import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of CHECK_TRANSACTION_STATE (39), sent by the broker.
 */
public record CheckTransactionHeader(
        @OptionalField @Nullable String topic,
        long tranStateTableOffset,
        long commitLogOffset,
        @OptionalField @Nullable String msgId,
        @OptionalField @Nullable String transactionId,
        @OptionalField @Nullable String offsetMsgId,
        @Key("bname") @OptionalField @Nullable String brokerName) {}
