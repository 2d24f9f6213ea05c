package dev.perigee.protocol.message;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/** What lies at a place of a log: the outcome of looking at bytes that may be anything. */
public enum FrameCheck {
    /** A whole frame whose CRCs are right. */
    SOUND,
    /**
     * A whole frame without a stamp, as stock brokers write; its body CRC is right if it was asked for. In a log of ours
     * this is damage.
     */
    SOUND_UNSTAMPED,
    /** The rest of the segment is unused. */
    BLANK,
    /** Zeroes: nothing was written here. */
    ABSENT,
    /** No frame starts here. */
    BAD_MAGIC,
    /** The lengths inside contradict each other. */
    BAD_LENGTH,
    /** The frame would be longer than the bytes there are. */
    CUT_OFF,
    /** The body is damaged. */
    BAD_BODY,
    /** Something outside the body is damaged. */
    BAD_STAMP;

    private static final int BODY_CRC_MASK = 0x7FFF_FFFF;

    /** Whether this is a whole and undamaged frame. */
    public boolean isSound() {
        return this == SOUND || this == SOUND_UNSTAMPED;
    }

    /**
     * Looks at the bytes at an absolute position. Reads nothing beyond {@code position + available} and never throws for
     * any content.
     *
     * @param checksums whether to compute the CRCs; without them, only whether the lengths fit together and a stamp ends the frame
     */
    public static FrameCheck of(ByteBuffer buffer, int position, int available, boolean checksums) {
        if (available < MessageFrame.BLANK_BYTES) {
            return CUT_OFF;
        }
        int size = buffer.getInt(position);
        int magic = buffer.getInt(position + MessageFrame.MAGIC_AT);
        if (magic == MessageFrame.MAGIC_V1 || magic == MessageFrame.MAGIC_V2) {
            FrameCheck lengths = lengths(buffer, position, available, magic);
            return lengths == SOUND ? contents(buffer, position, size, checksums) : lengths;
        }
        if (magic == MessageFrame.MAGIC_BLANK) {
            return size >= MessageFrame.BLANK_BYTES ? BLANK : BAD_LENGTH;
        }
        return size == 0 && magic == 0 ? ABSENT : BAD_MAGIC;
    }

    /** Only whether the lengths of a frame fit together: SOUND, BAD_LENGTH or CUT_OFF. */
    static FrameCheck lengths(ByteBuffer buffer, int position, int available, int magic) {
        int size = buffer.getInt(position);
        if (size < MessageFrame.MIN_BYTES) {
            return BAD_LENGTH;
        }
        if (size > available) {
            return CUT_OFF;
        }
        int bodyLengthAt = MessageFrame.bodyLengthAt(buffer.getInt(position + MessageFrame.SYS_FLAG_AT));
        int topicLengthBytes = magic == MessageFrame.MAGIC_V2 ? Short.BYTES : Byte.BYTES;
        int fixed = bodyLengthAt + Integer.BYTES + topicLengthBytes + Short.BYTES;
        if (size < fixed) {
            return BAD_LENGTH;
        }
        int bodyLength = buffer.getInt(position + bodyLengthAt);
        if (bodyLength < 0 || bodyLength > size - fixed) {
            return BAD_LENGTH;
        }
        int topicLengthAt = position + bodyLengthAt + Integer.BYTES + bodyLength;
        int topicLength = topicLengthBytes == 1 ? buffer.get(topicLengthAt) : buffer.getShort(topicLengthAt);
        if (topicLength <= 0 || topicLength > size - fixed - bodyLength) {
            return BAD_LENGTH;
        }
        int propertiesLength = buffer.getShort(topicLengthAt + topicLengthBytes + topicLength);
        return propertiesLength == size - fixed - bodyLength - topicLength ? SOUND : BAD_LENGTH;
    }

    private static FrameCheck contents(ByteBuffer buffer, int position, int size, boolean checksums) {
        if (checksums && buffer.getInt(position + MessageFrame.BODY_CRC_AT) != bodyCrc(buffer, position)) {
            return BAD_BODY;
        }
        if (!FrameStamp.isPresent(buffer, position, size)) {
            return SOUND_UNSTAMPED;
        }
        if (!checksums) {
            return SOUND;
        }
        return FrameStamp.isSound(buffer, position, size) ? SOUND : BAD_STAMP;
    }

    private static int bodyCrc(ByteBuffer buffer, int position) {
        int bodyLengthAt = position + MessageFrame.bodyLengthAt(buffer.getInt(position + MessageFrame.SYS_FLAG_AT));
        int start = bodyLengthAt + Integer.BYTES;
        return bodyCrc(
                buffer.duplicate().limit(start + buffer.getInt(bodyLengthAt)).position(start));
    }

    /** The body CRC as frames hold it; uses up the buffer. 0 for nothing. */
    static int bodyCrc(ByteBuffer body) {
        CRC32 crc = new CRC32();
        crc.update(body);
        return (int) crc.getValue() & BODY_CRC_MASK;
    }
}
