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
 * The frames of a waiting message: as it waits in {@code SCHEDULE_TOPIC_XXXX}, as it is copied, and as it is delivered
 * (broker-client §5.2).
 */
public final class WaitingFrames {
    /** What is of the waiting only, and not of the message. */
    private static final String[] OF_WAITING = {
        PropertyKey.STAMP,
        PropertyKey.TIMER_MARK,
        PropertyKey.DELAY_LEVEL,
        PropertyKey.REAL_TOPIC,
        PropertyKey.REAL_QUEUE_ID
    };

    private static final byte[] SCHEDULE = SystemTopic.SCHEDULE.getBytes(StandardCharsets.US_ASCII);

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
     * @param level the delay level, from 1
     * @param dueMs wall time
     */
    public static void delay(
            FrameDraft draft, PropertyEdit properties, String topic, int queueId, int level, long dueMs) {
        properties.put(PropertyKey.DELAY_LEVEL, Integer.toString(level));
        properties.put(PropertyKey.REAL_TOPIC, topic);
        properties.put(PropertyKey.REAL_QUEUE_ID, Integer.toString(queueId));
        properties.put(PropertyKey.TIMER_MARK, TimerMark.waiting(dueMs).text());
        draft.topic(SCHEDULE).queueId(queueOf(level)).properties(properties);
    }

    /** The queue of {@code SCHEDULE_TOPIC_XXXX} in which messages of a level wait. */
    public static int queueOf(int level) {
        return level - 1;
    }

    /** The copy of a waiting message that takes the place of its frame. */
    static FrameDraft copy(MessageFrame frame, TimerMark mark) {
        PropertyEdit properties = new PropertyEdit().load(encoded(frame), PropertyKey.STAMP, PropertyKey.TIMER_MARK);
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

    /** The delivery of a waiting message. */
    static FrameDraft delivery(MessageFrame frame, Home home, TimerMark mark) {
        return new FrameDraft()
                .like(frame)
                .topic(home.topic().getBytes(StandardCharsets.UTF_8))
                .queueId(home.queueId())
                .properties(ownProperties(frame).put(PropertyKey.TIMER_MARK, mark.text()));
    }
}
