package dev.perigee.protocol.message;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.property.TagHash;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The layout of a stored message, and a flyweight that reads one: {@link #wrap} it over a buffer and ask. Wrapping and
 * asking for numbers makes no object. The frame must have sound lengths, see {@link FrameCheck}.
 */
@OwnedBy("one thread at a time")
public final class MessageFrame {
    public static final int MAGIC_V1 = 0xDAA320A7;
    /** Frames with a two-byte topic length. */
    public static final int MAGIC_V2 = 0xDAA320AB;
    /** The magic of a blank record, which fills the rest of a segment. */
    public static final int MAGIC_BLANK = 0xCBD43194;

    /** Bytes of a blank record that are written. */
    public static final int BLANK_BYTES = 8;
    /** The smallest frame: IPv4 hosts, no body, topic nor properties. */
    public static final int MIN_BYTES = 91;
    /** The longest topic of a version 1 frame. */
    public static final int MAX_V1_TOPIC_BYTES = Byte.MAX_VALUE;

    public static final int SIZE_AT = 0;
    public static final int MAGIC_AT = 4;
    public static final int BODY_CRC_AT = 8;
    public static final int QUEUE_ID_AT = 12;
    public static final int FLAG_AT = 16;
    public static final int QUEUE_OFFSET_AT = 20;
    public static final int PHYSICAL_OFFSET_AT = 28;
    public static final int SYS_FLAG_AT = 36;
    public static final int BORN_TIMESTAMP_AT = 40;
    public static final int BORN_HOST_AT = 48;

    private static final byte NAME_END = 1;
    private static final byte PAIR_END = 2;

    private final @Nullable TopicInterner topics;
    private ByteBuffer buffer = ByteBuffer.allocate(0);
    private int position;
    private int sysFlag;
    private int storeTimestampAt;
    private int bodyLengthAt;
    private int topicAt;
    private int topicLength;
    private int propertiesAt;
    private int propertiesLength;

    /** A flyweight that makes a new string for every topic asked for. */
    public MessageFrame() {
        this.topics = null;
    }

    /** A flyweight that takes topics from an interner. */
    public MessageFrame(TopicInterner topics) {
        this.topics = topics;
    }

    /** Points this flyweight at a frame at an absolute position. */
    public MessageFrame wrap(ByteBuffer newBuffer, int newPosition) {
        buffer = newBuffer;
        position = newPosition;
        sysFlag = newBuffer.getInt(newPosition + SYS_FLAG_AT);
        storeTimestampAt = newPosition + storeTimestampAt(sysFlag);
        bodyLengthAt = newPosition + bodyLengthAt(sysFlag);
        int topicLengthAt = bodyLengthAt + Integer.BYTES + newBuffer.getInt(bodyLengthAt);
        if (newBuffer.getInt(newPosition + MAGIC_AT) == MAGIC_V2) {
            topicLength = newBuffer.getShort(topicLengthAt);
            topicAt = topicLengthAt + Short.BYTES;
        } else {
            topicLength = newBuffer.get(topicLengthAt);
            topicAt = topicLengthAt + Byte.BYTES;
        }
        propertiesAt = topicAt + topicLength + Short.BYTES;
        propertiesLength = newBuffer.getShort(topicAt + topicLength);
        return this;
    }

    /** The buffer the frame lies in. */
    public ByteBuffer buffer() {
        return buffer;
    }

    /** Where in the buffer the frame starts. */
    public int position() {
        return position;
    }

    /** The length of the whole frame in bytes. */
    public int sizeBytes() {
        return buffer.getInt(position);
    }

    /** CRC-32 of the body as stored, without its top bit. */
    public int bodyCrc() {
        return buffer.getInt(position + BODY_CRC_AT);
    }

    /** The queue it belongs to. */
    public int queueId() {
        return buffer.getInt(position + QUEUE_ID_AT);
    }

    /** The user's own number. */
    public int flag() {
        return buffer.getInt(position + FLAG_AT);
    }

    /** Its place in the queue; 0 until the log loop has patched it. */
    public long queueOffset() {
        return buffer.getLong(position + QUEUE_OFFSET_AT);
    }

    /** Its place in the log in bytes; 0 until the log loop has patched it. */
    public long physicalOffset() {
        return buffer.getLong(position + PHYSICAL_OFFSET_AT);
    }

    /** Bits of {@link SysFlag}. */
    public int sysFlag() {
        return sysFlag;
    }

    /** When it was sent, by the wall clock of its sender. */
    public long bornTimestampMs() {
        return buffer.getLong(position + BORN_TIMESTAMP_AT);
    }

    /** Who sent it. Makes an object. */
    public InetSocketAddress bornHost() {
        return HostBytes.decode(buffer, position + BORN_HOST_AT, SysFlag.has(sysFlag, SysFlag.BORN_HOST_V6));
    }

    /** When it was stored, in log time; 0 until the log loop has patched it. */
    public long storeTimestampMs() {
        return buffer.getLong(storeTimestampAt);
    }

    /** The broker that stored it. Makes an object. */
    public InetSocketAddress storeHost() {
        return HostBytes.decode(buffer, storeTimestampAt + Long.BYTES, SysFlag.has(sysFlag, SysFlag.STORE_HOST_V6));
    }

    /** Failed deliveries so far. */
    public int reconsumeTimes() {
        return buffer.getInt(bodyLengthAt - Long.BYTES - Integer.BYTES);
    }

    /** Physical offset of the half message of a committed transaction, else 0. */
    public long preparedTransactionOffset() {
        return buffer.getLong(bodyLengthAt - Long.BYTES);
    }

    /** Absolute position of the body. */
    public int bodyAt() {
        return bodyLengthAt + Integer.BYTES;
    }

    /** The length of the body in bytes. */
    public int bodyLength() {
        return buffer.getInt(bodyLengthAt);
    }

    /** The body as a new view of the buffer. */
    public ByteBuffer body() {
        return buffer.slice(bodyAt(), bodyLength());
    }

    /** The topic; a new string for each call, unless this flyweight has an interner. */
    public String topic() {
        return topics == null ? text(topicAt, topicLength) : topics.intern(buffer, topicAt, topicLength);
    }

    /** Whether the topic is this one, without making a string. The topic must be ASCII. */
    public boolean hasTopic(String topic) {
        return isText(topicAt, topicLength, topic);
    }

    /** Absolute position of the encoded properties. */
    public int propertiesAt() {
        return propertiesAt;
    }

    /** Bytes of the encoded properties, the stamp included. */
    public int propertiesLength() {
        return propertiesLength;
    }

    /** All properties, decoded. */
    public Map<String, String> properties() {
        return propertyText().toMap();
    }

    /** All properties as they are stored, copied. */
    public PropertyText propertyText() {
        byte[] utf8 = new byte[propertiesLength];
        buffer.get(propertiesAt, utf8);
        return PropertyText.ofUtf8(utf8);
    }

    /** The value of a property, or null. The name must be ASCII. */
    public @Nullable String property(String name) {
        long value = find(name);
        return value < 0 ? null : text((int) (value >>> Integer.SIZE), (int) value);
    }

    /** The hash of the tag, {@link TagHash#NONE} without one. */
    public int tagHash() {
        long value = find(PropertyKey.TAGS);
        if (value < 0) {
            return TagHash.NONE;
        }
        int from = (int) (value >>> Integer.SIZE);
        int length = (int) value;
        int hash = 0;
        for (int i = 0; i < length; i++) {
            byte b = buffer.get(from + i);
            if (b < 0) {
                return TagHash.of(text(from, length));
            }
            hash = 31 * hash + b;
        }
        return hash;
    }

    /** Whether the frame ends with a {@link FrameStamp}. */
    public boolean isStamped() {
        return FrameStamp.isPresent(buffer, position, sizeBytes());
    }

    /** The epoch in the stamp; only for a stamped frame. */
    public int epoch() {
        return FrameStamp.epoch(buffer, position, sizeBytes());
    }

    /** Whether the next frame belongs to the same unit of append; false for a frame without a stamp. */
    public boolean unitContinues() {
        return isStamped() && FrameStamp.unitContinues(buffer, position, sizeBytes());
    }

    /** Position of the last pair of this name: start of the value in the upper half, its length in the lower; or −1. */
    private long find(String name) {
        int end = propertiesAt + propertiesLength;
        int nameLength = name.length();
        long found = -1;
        int from = propertiesAt;
        while (from < end) {
            int pairEnd = from;
            while (pairEnd < end && buffer.get(pairEnd) != PAIR_END) {
                pairEnd++;
            }
            int valueAt = from + nameLength + 1;
            if (pairEnd > valueAt && buffer.get(valueAt - 1) == NAME_END && isText(from, nameLength, name)) {
                found = (long) valueAt << Integer.SIZE | (pairEnd - valueAt);
            }
            from = pairEnd + 1;
        }
        return found;
    }

    private boolean isText(int at, int length, String ascii) {
        if (length != ascii.length()) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (buffer.get(at + i) != ascii.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private String text(int at, int length) {
        byte[] utf8 = new byte[length];
        buffer.get(at, utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }

    /** Where in a frame the store timestamp lies. */
    public static int storeTimestampAt(int sysFlag) {
        return BORN_HOST_AT + HostBytes.sizeBytes(SysFlag.has(sysFlag, SysFlag.BORN_HOST_V6));
    }

    /** Where in a frame the body length lies. */
    public static int bodyLengthAt(int sysFlag) {
        return storeTimestampAt(sysFlag)
                + Long.BYTES
                + HostBytes.sizeBytes(SysFlag.has(sysFlag, SysFlag.STORE_HOST_V6))
                + Integer.BYTES
                + Long.BYTES;
    }

    /** Sets the queue offset of the frame at an absolute position. */
    public static void patchQueueOffset(ByteBuffer buffer, int position, long queueOffset) {
        buffer.putLong(position + QUEUE_OFFSET_AT, queueOffset);
    }

    /** Sets the physical offset, in bytes, of the frame at an absolute position. */
    public static void patchPhysicalOffset(ByteBuffer buffer, int position, long physicalOffset) {
        buffer.putLong(position + PHYSICAL_OFFSET_AT, physicalOffset);
    }

    /** Sets the store timestamp of the frame at an absolute position; its sysFlag must be there already. */
    public static void patchStoreTimestamp(ByteBuffer buffer, int position, long storeTimestampMs) {
        int sysFlag = buffer.getInt(position + SYS_FLAG_AT);
        buffer.putLong(position + storeTimestampAt(sysFlag), storeTimestampMs);
    }

    /** Writes the record that says the rest of a segment, of the given size, is unused. */
    public static void writeBlank(ByteBuffer buffer, int position, int sizeBytes) {
        buffer.putInt(position, sizeBytes);
        buffer.putInt(position + MAGIC_AT, MAGIC_BLANK);
    }
}
