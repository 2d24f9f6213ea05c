package dev.perigee.protocol.stats;

import com.alibaba.fastjson2.annotation.JSONField;
import dev.perigee.protocol.message.MessageQueue;
import org.jspecify.annotations.Nullable;

/**
 * First, last and consumed time of one queue; −1 where there is nothing.
 *
 * @param delayTime milliseconds
 */
public record QueueTimeSpan(
        MessageQueue messageQueue,
        @JSONField(name = "minTimeStamp") long minTimestamp,
        @JSONField(name = "maxTimeStamp") long maxTimestamp,
        @JSONField(name = "consumeTimeStamp") long consumeTimestamp,
        long delayTime,
        @JSONField(name = "minTimeStampStr") @Nullable String minTimestampText,
        @JSONField(name = "maxTimeStampStr") @Nullable String maxTimestampText,
        @JSONField(name = "consumeTimeStampStr") @Nullable String consumeTimestampText) {}
