package dev.perigee.protocol.header.send;

import dev.perigee.protocol.header.DefaultValue;
import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of END_TRANSACTION (37).
 */
public record EndTransactionHeader(
        @OptionalField @Nullable String topic,
        String producerGroup,
        long tranStateTableOffset,
        long commitLogOffset,
        int commitOrRollback,
        @DefaultValue("false") boolean fromTransactionCheck,
        String msgId,
        @OptionalField @Nullable String transactionId) {}
