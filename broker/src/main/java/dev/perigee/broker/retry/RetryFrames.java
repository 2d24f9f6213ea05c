package dev.perigee.broker.retry;

import dev.perigee.broker.timer.DueTime;
import dev.perigee.broker.timer.DueTimes;
import dev.perigee.broker.timer.RecallHash;
import dev.perigee.broker.timer.WaitingFrames;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.HostBytes;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.property.MessageProperties;
import dev.perigee.protocol.property.PropertyEdit;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.topic.TopicConfig;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes the copies of a message that came back (broker-client §5.1). */
@Immutable
final class RetryFrames {
    /** Delay level 0 means: this level for the first retry, the next one for the next. */
    static final int FIRST_LEVEL = 3;

    private final DueTimes times;

    RetryFrames(DueTimes times) {
        this.times = times;
    }

    /** When a retry that is asked for now comes. */
    DueTime.At due(SendBack back, int storedCount) {
        int asked = back.header().delayLevel();
        long level = asked == 0 ? (long) FIRST_LEVEL + back.retries(storedCount) : asked;
        return times.ofLevel((int) Math.min(level, Integer.MAX_VALUE));
    }

    /** The copy that waits and is then consumed again; null when its properties are too long. */
    @Nullable
    FrameDraft retry(MessageFrame frame, SendBack back, String topic, int queueId, DueTime.At due) {
        PropertyEdit properties = properties(frame);
        FrameDraft draft = draft(frame, back);
        int growthBytes = WaitingFrames.delay(draft, properties, topic, queueId, due, RecallHash.NONE);
        return fits(draft, growthBytes);
    }

    /** The copy for the dead letters; null when its properties are too long. */
    @Nullable
    FrameDraft deadLetter(MessageFrame frame, SendBack back, TopicConfig deadLetters) {
        PropertyEdit properties = properties(frame);
        FrameDraft draft = draft(frame, back)
                .topic(deadLetters.topicName().getBytes(StandardCharsets.UTF_8))
                .queueId(0);
        Map<String, String> origin =
                DeadLetters.origin(userTopic(frame), originId(frame), back.deadLetterReason(frame.reconsumeTimes()));
        origin.put(PropertyKey.DLQ_ORIGIN_QUEUE_ID, Integer.toString(frame.queueId()));
        origin.put(PropertyKey.DLQ_ORIGIN_OFFSET, Long.toString(frame.queueOffset()));
        DeadLetters.describe(draft, properties, origin);
        return fits(draft, 0);
    }

    private static FrameDraft draft(MessageFrame frame, SendBack back) {
        return new FrameDraft().like(frame).reconsumeTimes(back.nextCount(frame.reconsumeTimes()));
    }

    private static @Nullable FrameDraft fits(FrameDraft draft, int growthBytes) {
        return draft.storedPropertiesBytes() + growthBytes <= MessageProperties.MAX_BYTES ? draft : null;
    }

    private static PropertyEdit properties(MessageFrame frame) {
        return WaitingFrames.ownProperties(frame)
                .put(PropertyKey.RETRY_TOPIC, userTopic(frame))
                .put(PropertyKey.ORIGIN_MESSAGE_ID, originId(frame))
                .put(PropertyKey.WAIT_STORE, "false");
    }

    /** The topic the message was first sent to. */
    static String userTopic(MessageFrame frame) {
        String topic = frame.property(PropertyKey.RETRY_TOPIC);
        return topic == null ? frame.topic() : topic;
    }

    private static String originId(MessageFrame frame) {
        String id = frame.property(PropertyKey.ORIGIN_MESSAGE_ID);
        return id == null ? MessageId.text(HostBytes.encode(frame.storeHost()), frame.physicalOffset()) : id;
    }
}
