package dev.perigee.broker.transaction;

import dev.perigee.broker.mark.ClockNote;
import dev.perigee.broker.transaction.HalfTimes.FirstCheck;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.FrameStamp;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.property.PropertyEdit;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.topic.SystemTopic;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The frames of a transaction (broker-client §6): the half as it waits in {@code RMQ_SYS_TRANS_HALF_TOPIC}, its copies, the committed
 * message, the half set aside, and what a producer is shown when it is asked.
 */
public final class HalfFrames {
    /** The queue of {@code RMQ_SYS_TRANS_HALF_TOPIC} and of {@code TRANS_CHECK_MAX_TIME_TOPIC} that is used. */
    public static final int QUEUE_ID = 0;

    /** Longest reason why a half was set aside, in bytes. */
    static final int MAX_REASON_BYTES = 128;

    /**
     * By how many bytes the properties of a half may grow in the frames made of it: those of its delay and of its mark, its
     * reason and its checks.
     */
    static final int GROWTH_BYTES = 512;

    private static final byte[] HALF = SystemTopic.HALF.getBytes(StandardCharsets.US_ASCII);
    private static final byte[] SET_ASIDE = SystemTopic.TRANSACTION_CHECK_MAX.getBytes(StandardCharsets.US_ASCII);

    /**
     * What is of the half only, and not of the message. That it was a half stays on it: from that stock consumers take the transaction id
     * they show.
     */
    private static final String[] OF_HALF = {
        PropertyKey.STAMP, PropertyKey.HALF_MARK, PropertyKey.REAL_TOPIC, PropertyKey.REAL_QUEUE_ID
    };

    /**
     * Where a half goes when it is committed.
     *
     * @param topic empty when the frame does not say
     */
    @Immutable
    record Home(String topic, int queueId) {}

    private HalfFrames() {}

    /**
     * Makes a draft that is to go to a queue a half message instead: rewrites topic and queue of the draft, and properties.
     * Its flags have no transaction bits.
     *
     * @return by how many bytes the properties may grow later; they must still fit into a frame then
     */
    public static int hide(FrameDraft draft, PropertyEdit properties, HalfWish wish) {
        properties.put(PropertyKey.TRANSACTION_ID, wish.uniqueKey());
        properties.put(PropertyKey.REAL_TOPIC, wish.topic());
        properties.put(PropertyKey.REAL_QUEUE_ID, Integer.toString(wish.queueId()));
        properties.put(PropertyKey.HALF_MARK, HalfMark.first(wish.first()).text());
        draft.topic(HALF).queueId(QUEUE_ID).properties(properties);
        return GROWTH_BYTES;
    }

    /** The copy of a half that takes the place of its frame; it repeats what the log said of the clock last. */
    static FrameDraft copy(MessageFrame frame, Half half, ClockNote told) {
        PropertyEdit properties =
                new PropertyEdit().load(frame.propertyText(), PropertyKey.STAMP, PropertyKey.HALF_MARK);
        properties.put(PropertyKey.HALF_MARK, HalfMark.copy(half, told).text());
        return new FrameDraft().like(frame).properties(properties);
    }

    /** Where a half belongs. */
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

    /** The properties of the committed message: with the mark that closes the half, and how often it was asked about. */
    static PropertyEdit committedProperties(MessageFrame frame, Half half) {
        PropertyEdit properties = new PropertyEdit()
                .load(frame.propertyText(), OF_HALF)
                .put(
                        PropertyKey.HALF_MARK,
                        HalfMark.closing(half, HalfMark.Kind.COMMITTED).text());
        return half.checks() == 0
                ? properties
                : properties.put(PropertyKey.TRANSACTION_CHECK_TIMES, Integer.toString(half.checks()));
    }

    /** The committed message. */
    static FrameDraft committed(MessageFrame frame, Half half, Home home, PropertyEdit properties) {
        return new FrameDraft()
                .like(frame)
                .topic(home.topic().getBytes(StandardCharsets.UTF_8))
                .queueId(home.queueId())
                .sysFlag(SysFlag.withTransaction(frame.sysFlag(), SysFlag.TRANSACTION_COMMIT))
                .preparedTransactionOffset(half.birth())
                .properties(properties);
    }

    /** The half set aside in {@code TRANS_CHECK_MAX_TIME_TOPIC}, from where it may be resumed. */
    static FrameDraft setAside(MessageFrame frame, Half half, String reason) {
        PropertyEdit properties = new PropertyEdit()
                .load(frame.propertyText(), PropertyKey.STAMP, PropertyKey.HALF_MARK)
                .put(PropertyKey.TRANSACTION_CHECK_TIMES, Integer.toString(half.checks()))
                .put(PropertyKey.HALF_REASON, reason)
                .put(
                        PropertyKey.HALF_MARK,
                        HalfMark.closing(half, HalfMark.Kind.SET_ASIDE).text());
        return new FrameDraft().like(frame).topic(SET_ASIDE).queueId(QUEUE_ID).properties(properties);
    }

    /** The half that a message set aside becomes again; nobody was asked for it yet. */
    static FrameDraft resumed(MessageFrame frame, FirstCheck first) {
        PropertyEdit properties = new PropertyEdit()
                .load(
                        frame.propertyText(),
                        PropertyKey.STAMP,
                        PropertyKey.HALF_MARK,
                        PropertyKey.HALF_REASON,
                        PropertyKey.TRANSACTION_CHECK_TIMES)
                .put(PropertyKey.HALF_MARK, HalfMark.first(first).text());
        return new FrameDraft().like(frame).topic(HALF).queueId(QUEUE_ID).properties(properties);
    }

    /**
     * The record a producer is shown: the half as if it lay where it will go, with the offsets by which it is known.
     *
     * @param checks how often producers were asked, this time included
     */
    static byte[] shown(MessageFrame frame, Half half, int checks) {
        Home home = home(frame);
        PropertyEdit properties = new PropertyEdit()
                .load(frame.propertyText(), OF_HALF)
                .put(PropertyKey.TRANSACTION_CHECK_TIMES, Integer.toString(checks));
        FrameDraft draft = new FrameDraft()
                .like(frame)
                .topic(home.topic().getBytes(StandardCharsets.UTF_8))
                .queueId(home.queueId())
                .properties(properties);
        ByteBuffer bytes = ByteBuffer.allocate(draft.sizeBytes());
        draft.writeTo(bytes);
        MessageFrame.patchQueueOffset(bytes, 0, half.queueOffset());
        MessageFrame.patchPhysicalOffset(bytes, 0, half.birth());
        MessageFrame.patchStoreTimestamp(bytes, 0, frame.storeTimestampMs());
        return withoutStamp(bytes);
    }

    /** The stamp is the log's; a frame that is in no log ends before it. */
    private static byte[] withoutStamp(ByteBuffer bytes) {
        MessageFrame written = new MessageFrame().wrap(bytes, 0);
        int sizeBytes = written.sizeBytes() - FrameStamp.BYTES;
        bytes.putInt(MessageFrame.SIZE_AT, sizeBytes);
        bytes.putShort(written.propertiesAt() - Short.BYTES, (short) (written.propertiesLength() - FrameStamp.BYTES));
        byte[] kept = new byte[sizeBytes];
        bytes.get(0, kept);
        return kept;
    }
}
