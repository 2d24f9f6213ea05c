package dev.perigee.protocol.transaction;

import com.alibaba.fastjson2.annotation.JSONField;
import org.jspecify.annotations.Nullable;

/**
 * An undecided half of a transaction, as a broker lists it. Of one that it cannot read now group, topic and key are empty, and
 * {@code bornTimestampMs} is when it was accepted.
 *
 * @param commitLogOffset the offset by which it is known, in 37 and 39 too
 * @param queueOffset its place in the queue of halves, as 37 and 39 say it
 * @param uniqueKey the unique key of the message
 * @param producerGroup the group that may decide
 * @param topic where it goes when it is committed
 * @param queueId the queue of that topic
 * @param checks how often its producers were asked
 * @param nextCheckMs when they are asked next, wall time as far as the broker knows it
 * @param bornTimestampMs when it was sent, by its producer's clock
 * @param bornHost who sent it, {@code ip:port}
 * @param keys its keys; null without any
 * @param bodyBytes the length of its body as stored
 */
public record HalfMessage(
        @JSONField(name = "commitLogOffset") long commitLogOffset,
        @JSONField(name = "tranStateTableOffset") long queueOffset,
        @JSONField(name = "msgId") String uniqueKey,
        @JSONField(name = "producerGroup") String producerGroup,
        @JSONField(name = "topic") String topic,
        @JSONField(name = "queueId") int queueId,
        @JSONField(name = "checks") int checks,
        @JSONField(name = "nextCheckMs") long nextCheckMs,
        @JSONField(name = "bornTimestamp") long bornTimestampMs,
        @JSONField(name = "bornHost") String bornHost,
        @JSONField(name = "keys") @Nullable String keys,
        @JSONField(name = "bodyBytes") int bodyBytes) {}
