package dev.perigee.store.view;

import dev.perigee.loop.OwnedBy;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One confirmed frame as a view sees it (message-format §1). A flyweight that is moved from frame to frame: what it
 * answers is valid only during {@link LogView#apply}; a view copies what it keeps. Parsed once per frame, without
 * allocation as long as nobody asks for a text.
 */
@OwnedBy("whoever wraps frames with it")
public final class LogEntry {
    private static final int MAGIC_AT = 4;
    private static final int QUEUE_ID_AT = 12;
    private static final int QUEUE_OFFSET_AT = 20;
    private static final int SYS_FLAG_AT = 36;
    private static final int BORN_HOST_AT = 48;
    private static final int MAGIC_V2 = 0xDAA320AB;
    private static final int BORN_HOST_IPV6 = 0x10;
    private static final int STORE_HOST_IPV6 = 0x20;
    private static final int IPV4_HOST_BYTES = 8;
    private static final int IPV6_HOST_BYTES = 20;

    private final TopicInterner topics = new TopicInterner();
    private final PropertyScan properties = new PropertyScan();
    private byte[] topicBytes = new byte[256];

    private long offset;
    private int sizeBytes;
    private int queueId;
    private long queueOffset;
    private int sysFlag;
    private long storeTimestampMs;
    private LogTopic topic = LogTopic.of("");

    /** Creates an entry that stands for nothing until {@link #wrap} is called. */
    public LogEntry() {}

    /**
     * Moves to a whole, checked frame.
     *
     * @param buffer holds the frame; read during this call only
     * @param position where the frame begins in it
     * @param offset where the frame lies in the log
     * @return this
     */
    public LogEntry wrap(ByteBuffer buffer, int position, long offset) {
        this.offset = offset;
        sizeBytes = buffer.getInt(position);
        queueId = buffer.getInt(position + QUEUE_ID_AT);
        queueOffset = buffer.getLong(position + QUEUE_OFFSET_AT);
        sysFlag = buffer.getInt(position + SYS_FLAG_AT);
        int at = position + BORN_HOST_AT + ((sysFlag & BORN_HOST_IPV6) != 0 ? IPV6_HOST_BYTES : IPV4_HOST_BYTES);
        storeTimestampMs = buffer.getLong(at);
        at += Long.BYTES + ((sysFlag & STORE_HOST_IPV6) != 0 ? IPV6_HOST_BYTES : IPV4_HOST_BYTES);
        at += Integer.BYTES + Long.BYTES;
        int bodyBytes = buffer.getInt(at);
        at += Integer.BYTES + bodyBytes;
        boolean longTopic = buffer.getInt(position + MAGIC_AT) == MAGIC_V2;
        int topicSize = longTopic ? buffer.getShort(at) & 0xFFFF : buffer.get(at) & 0xFF;
        at += longTopic ? Short.BYTES : Byte.BYTES;
        if (topicSize > topicBytes.length) {
            topicBytes = new byte[topicSize];
        }
        buffer.get(at, topicBytes, 0, topicSize);
        topic = topics.intern(topicBytes, 0, topicSize);
        at += topicSize;
        properties.scan(buffer, at + Short.BYTES, buffer.getShort(at) & 0xFFFF);
        return this;
    }

    /** Where the frame lies in the log. */
    public long offset() {
        return offset;
    }

    public int sizeBytes() {
        return sizeBytes;
    }

    /** The byte after it (exclusive). */
    public long endOffset() {
        return offset + sizeBytes;
    }

    public long storeTimestampMs() {
        return storeTimestampMs;
    }

    /** The topic's name; the same object for every entry of the topic. */
    public String topic() {
        return topic.name();
    }

    /** The topic as it stands in the frame. */
    public LogTopic logTopic() {
        return topic;
    }

    public int queueId() {
        return queueId;
    }

    public long queueOffset() {
        return queueOffset;
    }

    /** The hash of the tag as consume queues hold it; 0 without one. */
    public long tagHash() {
        return properties.tagHash();
    }

    public int sysFlag() {
        return sysFlag;
    }

    /** The epoch in the frame's stamp; 0 for a frame without one. */
    public int epoch() {
        return properties.epoch();
    }

    /** The raw properties with the places of the indexed ones. */
    public PropertyScan properties() {
        return properties;
    }

    /** The value of a property, or null. */
    public @Nullable String property(String key) {
        return properties.value(key);
    }
}
