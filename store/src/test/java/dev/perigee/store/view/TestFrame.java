package dev.perigee.store.view;

import dev.perigee.protocol.message.FrameStamp;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32;

/** A stored frame laid out by hand, so that views are tested against the format and not against our encoder. */
public final class TestFrame {
    private static final int FIXED_BYTES = 91;
    private static final int BODY_CRC_AT = 8;

    private final String topic;
    private final int queueId;
    private final long queueOffset;
    private final Map<String, String> properties = new LinkedHashMap<>();
    private byte[] body = {};
    private int sysFlag;
    private int epoch = 1;

    private TestFrame(String topic, int queueId, long queueOffset) {
        this.topic = topic;
        this.queueId = queueId;
        this.queueOffset = queueOffset;
    }

    public static TestFrame of(String topic, int queueId, long queueOffset) {
        return new TestFrame(topic, queueId, queueOffset);
    }

    public TestFrame property(String name, String value) {
        properties.put(name, value);
        return this;
    }

    public TestFrame tag(String tag) {
        return property("TAGS", tag);
    }

    public TestFrame keys(String keys) {
        return property("KEYS", keys);
    }

    public TestFrame uniqueKey(String key) {
        return property("UNIQ_KEY", key);
    }

    public TestFrame body(byte[] bytes) {
        body = bytes.clone();
        return this;
    }

    public TestFrame sysFlag(int flag) {
        sysFlag = flag;
        return this;
    }

    public TestFrame epoch(int number) {
        epoch = number;
        return this;
    }

    /** The frame as it stands in the log at an offset. */
    public ByteBuffer encode(long physicalOffset, long storeTimestampMs) {
        boolean longTopic = topic.length() > 127;
        byte[] topicBytes = topic.getBytes(StandardCharsets.UTF_8);
        StringBuilder text = new StringBuilder();
        properties.forEach((name, value) ->
                text.append(name).append('\u0001').append(value).append('\u0002'));
        text.append("__STAMP#\u0001")
                .append(String.format("%08x0%08x", epoch, 0))
                .append('\u0002');
        byte[] propertyBytes = text.toString().getBytes(StandardCharsets.UTF_8);
        int size = FIXED_BYTES + (longTopic ? 1 : 0) + body.length + topicBytes.length + propertyBytes.length;
        ByteBuffer frame = ByteBuffer.allocate(size);
        frame.putInt(size).putInt(longTopic ? 0xDAA320AB : 0xDAA320A7).putInt(0);
        frame.putInt(queueId)
                .putInt(0)
                .putLong(queueOffset)
                .putLong(physicalOffset)
                .putInt(sysFlag);
        frame.putLong(storeTimestampMs).putLong(0x7F00000100002A9FL);
        frame.putLong(storeTimestampMs).putLong(0x7F00000100002A9FL).putInt(0).putLong(0);
        frame.putInt(body.length).put(body);
        if (longTopic) {
            frame.putShort((short) topicBytes.length);
        } else {
            frame.put((byte) topicBytes.length);
        }
        frame.put(topicBytes).putShort((short) propertyBytes.length).put(propertyBytes);
        CRC32 crc = new CRC32();
        crc.update(body);
        frame.putInt(BODY_CRC_AT, (int) crc.getValue() & Integer.MAX_VALUE);
        FrameStamp.write(frame, 0, size, epoch, false);
        return frame.flip();
    }
}
