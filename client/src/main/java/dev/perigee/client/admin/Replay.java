package dev.perigee.client.admin;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.group.GroupName;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.protocol.topic.TopicName;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter made into a message that is sent again: as the user made it, with its count of retries at 0, without what
 * brokers and consumers wrote on it on its way here.
 *
 * @param topic where it goes
 * @param originTopic where it was sent to first
 */
@Immutable
record Replay(MessageExt entry, String topic, String originTopic) {
    private static final int ANY_QUEUE = -1;
    private static final int NO_LIMIT_GIVEN = -1;
    private static final int TEMPLATE_QUEUES = 1;
    /** How the body is packed; the other bits are the broker's. */
    private static final int BODY_FLAGS = SysFlag.COMPRESSED | SysFlag.MULTI_TAGS | SysFlag.COMPRESSION_MASK;

    private static final Set<String> LEFT_BEHIND = Set.of(
            PropertyKey.DELAY_LEVEL,
            PropertyKey.REAL_TOPIC,
            PropertyKey.REAL_QUEUE_ID,
            PropertyKey.RETRY_TOPIC,
            PropertyKey.MIN_OFFSET,
            PropertyKey.MAX_OFFSET,
            PropertyKey.RECONSUME_TIME,
            PropertyKey.MAX_RECONSUME_TIMES,
            PropertyKey.CONSUME_START_TIME,
            PropertyKey.MSG_REGION,
            PropertyKey.TRACE_ON,
            PropertyKey.CLUSTER,
            PropertyKey.CRC32,
            PropertyKey.STAMP,
            PropertyKey.TIMER_MARK,
            PropertyKey.HALF_MARK,
            PropertyKey.TRANSACTION_PREPARED,
            PropertyKey.TIMER_DELAY_SEC,
            PropertyKey.TIMER_DELAY_MS,
            PropertyKey.TIMER_DELIVER_MS,
            PropertyKey.TIMER_ENQUEUE_MS,
            PropertyKey.TIMER_DEQUEUE_MS,
            PropertyKey.TIMER_ROLL_TIMES,
            PropertyKey.TIMER_OUT_MS,
            PropertyKey.TIMER_DEL_UNIQKEY,
            PropertyKey.TIMER_DELAY_LEVEL,
            PropertyKey.TIMER_ROLL_LABEL,
            PropertyKey.DLQ_ORIGIN_TOPIC,
            PropertyKey.DLQ_ORIGIN_MESSAGE_ID,
            PropertyKey.DLQ_ORIGIN_QUEUE_ID,
            PropertyKey.DLQ_ORIGIN_OFFSET,
            PropertyKey.DLQ_REASON,
            PropertyKey.TRANSIENT_TOPIC_SYS_FLAG,
            PropertyKey.TRANSIENT_GROUP_SYS_FLAG);

    /** The topic a dead letter was sent to first, or null when nothing on it says so. */
    static @Nullable String originTopic(MessageExt entry) {
        String retried = entry.property(PropertyKey.RETRY_TOPIC);
        return retried != null ? retried : entry.property(PropertyKey.DLQ_ORIGIN_TOPIC);
    }

    /** The header of the send (310). The body goes with it as it is stored. */
    SendMessageHeader header() {
        return new SendMessageHeader(
                GroupName.INNER_PRODUCER,
                topic,
                SystemTopic.AUTO_CREATE,
                TEMPLATE_QUEUES,
                ANY_QUEUE,
                entry.sysFlag() & BODY_FLAGS,
                entry.bornTimestampMs(),
                entry.flag(),
                PropertyText.of(properties()),
                0,
                false,
                NO_LIMIT_GIVEN,
                false,
                null);
    }

    private Map<String, String> properties() {
        Map<String, String> properties = new LinkedHashMap<>(entry.properties());
        properties.keySet().removeAll(LEFT_BEHIND);
        if (TopicName.isRetry(topic)) {
            properties.put(PropertyKey.RETRY_TOPIC, originTopic);
        }
        return properties;
    }
}
