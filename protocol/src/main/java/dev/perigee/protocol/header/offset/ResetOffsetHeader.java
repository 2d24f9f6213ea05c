package dev.perigee.protocol.header.offset;

import dev.perigee.protocol.header.DefaultValue;
import dev.perigee.protocol.header.Key;
import org.jspecify.annotations.Nullable;

/**
 * Header of the offset resets INVOKE_BROKER_TO_RESET_OFFSET (222) and RESET_CONSUMER_CLIENT_OFFSET (220).
 *
 * @param timestamp milliseconds; negative means the end of the queue
 * @param queueId −1 means all
 */
public record ResetOffsetHeader(
        String topic,
        String group,
        long timestamp,
        @Key("isForce") boolean force,
        @DefaultValue("-1") int queueId,
        @Nullable Long offset) {}
