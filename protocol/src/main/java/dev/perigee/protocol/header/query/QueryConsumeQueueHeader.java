package dev.perigee.protocol.header.query;

import dev.perigee.protocol.header.DefaultValue;
import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of QUERY_CONSUME_QUEUE (321).
 */
public record QueryConsumeQueueHeader(
        String topic,
        @DefaultValue("0") int queueId,
        @DefaultValue("0") long index,
        @DefaultValue("0") int count,
        @OptionalField @Nullable String consumerGroup) {}
