package dev.perigee.broker.timer;

import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.property.PropertyEdit;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.topic.SystemTopic;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The frames of a waiting message: as it waits in {@code SCHEDULE_TOPIC_XXXX} by a delay level or in {@code
 * rmq_sys_wheel_timer} until a time, as it is copied, and as it is delivered (broker-client §5.2, §5.3).
 */
public final class WaitingFrames {
    /** What is of the waiting only, and not of the message. */
    private static final String[] OF_WAITING = {
        PropertyKey.STAMP,
        PropertyKey.TIMER_MARK,
        PropertyKey.HALF_MARK,
        PropertyKey.DELAY_LEVEL,
        PropertyKey.REAL_TOPIC,
        PropertyKey.REAL_QUEUE_ID
    };

    /** What a delivered message that named a time does not keep; it keeps what it asked for. */
    private static final String[] OF_TIMED_WAITING = {
        PropertyKey.STAMP,
        PropertyKey.TIMER_MARK,
        PropertyKey.HALF_MARK,
        PropertyKey.REAL_TOPIC,
        PropertyKey.REAL_QUEUE_ID
    };

    /** All that tells of a time; a level erases it. */
    private static final String[] OF_TIME = {
        PropertyKey.TIMER_DELAY_SEC,
        PropertyKey.TIMER_DELAY_MS,
        PropertyKey.TIMER_DELIVER_MS,
        PropertyKey.TIMER_ENQUEUE_MS,
        PropertyKey.TIMER_DEQUEUE_MS,
        PropertyKey.TIMER_ROLL_TIMES,
        PropertyKey.TIMER_OUT_MS
    };

    private static final int MAX_DIGITS = 20;

    /** Bytes that a delivery may add to the properties of a message that named a time. */
    private static final int DELIVERY_BYTES = PropertyKey.TIMER_ENQUEUE_MS.length()
            + PropertyKey.TIMER_DEQUEUE_MS.length()
            + PropertyKey.TIMER_ROLL_TIMES.length()
            + 3 * (2 + MAX_DIGITS);

    private static final String NEVER_ROLLED = "0";
    private static final byte[] SCHEDULE = SystemTopic.SCHEDULE.getBytes(StandardCharsets.US_ASCII);
    private static final byte[] TIMER = SystemTopic.TIMER.getBytes(StandardCharsets.US_ASCII);

    /**
     * Where a delivered message goes.
     *
     * @param topic empty when the frame does not say
     */
    record Home(String topic, int queueId) {}

    private WaitingFrames() {}

    /** The properties of a stored frame without those that tell of its waiting or its storing. */
    public static PropertyEdit ownProperties(MessageFrame frame) {
        return new PropertyEdit().load(encoded(frame), OF_WAITING);
    }

    private static PropertyText encoded(MessageFrame frame) {
        byte[] utf8 = new byte[frame.propertiesLength()];
        frame.buffer().get(frame.propertiesAt(), utf8);
        return PropertyText.ofUtf8(utf8);
    }

    /**
     * Makes a draft that is to go to a queue wait instead: rewrites topic and queue of the draft, and properties.
     *
     * @param topic where it is to go
     * @param recallHash by what it can be recalled, {@link RecallHash#NONE} when it cannot
     * @return by how many bytes its properties may still grow while it waits and when it is delivered
     */
    public static int delay(
            FrameDraft draft, PropertyEdit properties, String topic, int queueId, DueTime.At due, long recallHash) {
        boolean byLevel = due.level() > 0;
        if (byLevel) {
            for (String name : OF_TIME) {
                properties.remove(name);
            }
            properties.put(PropertyKey.DELAY_LEVEL, Integer.toString(due.level()));
        } else {
            properties.put(PropertyKey.TIMER_OUT_MS, Long.toString(due.wallMs()));
        }
        properties.put(PropertyKey.REAL_TOPIC, topic);
        properties.put(PropertyKey.REAL_QUEUE_ID, Integer.toString(queueId));
        properties.put(
                PropertyKey.TIMER_MARK, TimerMark.waiting(due, recallHash).text());
        draft.topic(byLevel ? SCHEDULE : TIMER).queueId(queueOf(due)).properties(properties);
        return TimerMark.GROWTH_BYTES + (byLevel ? 0 : DELIVERY_BYTES);
    }

    /** The topic in which a message waits. */
    public static String topicOf(DueTime.At due) {
        return due.level() > 0 ? SystemTopic.SCHEDULE : SystemTopic.TIMER;
    }

    /** The queue of {@link #topicOf} in which it waits. */
    public static int queueOf(DueTime.At due) {
        return due.level() > 0 ? due.level() - 1 : 0;
    }

    /** The copy of a waiting message that takes the place of its frame. */
    static FrameDraft copy(MessageFrame frame, TimerMark mark) {
        PropertyEdit properties = new PropertyEdit()
                .load(encoded(frame), PropertyKey.STAMP, PropertyKey.TIMER_MARK, PropertyKey.HALF_MARK);
        return new FrameDraft().like(frame).properties(properties.put(PropertyKey.TIMER_MARK, mark.text()));
    }

    /** Where a waiting message belongs. */
    static Home home(MessageFrame frame) {
        String topic = frame.property(PropertyKey.REAL_TOPIC);
        return new Home(topic == null ? "" : topic, number(frame.property(PropertyKey.REAL_QUEUE_ID)));
    }

    private static int number(@Nullable String text) {
        try {
            return text == null ? 0 : Math.max(0, Integer.parseInt(text));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /**
     * The delivery of a waiting message.
     *
     * @param nowMs wall time, which a message that named a time says it was delivered at
     */
    static FrameDraft delivery(MessageFrame frame, Home home, TimerMark mark, long nowMs) {
        PropertyEdit properties;
        if (frame.hasTopic(SystemTopic.TIMER)) {
            properties = new PropertyEdit()
                    .load(encoded(frame), OF_TIMED_WAITING)
                    .put(PropertyKey.TIMER_ENQUEUE_MS, Long.toString(frame.storeTimestampMs()))
                    .put(PropertyKey.TIMER_DEQUEUE_MS, Long.toString(nowMs))
                    .put(PropertyKey.TIMER_ROLL_TIMES, NEVER_ROLLED);
        } else {
            properties = ownProperties(frame);
        }
        return new FrameDraft()
                .like(frame)
                .topic(home.topic().getBytes(StandardCharsets.UTF_8))
                .queueId(home.queueId())
                .properties(properties.put(PropertyKey.TIMER_MARK, mark.text()));
    }
}
