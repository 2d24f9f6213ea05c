package dev.perigee.protocol.frame;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Frames: {@code int32 length, int32 serialization and header length, header, body}. Stateless; decoding never takes more
 * memory than the frame itself.
 */
public final class FrameCodec {
    /** The largest value of the length field that is accepted. */
    public static final int MAX_FRAME_BYTES = 16 * 1024 * 1024;
    /** Bytes of the length field. */
    public static final int LENGTH_BYTES = 4;
    /** Bytes before the header: length, serialization and header length. */
    public static final int PREFIX_BYTES = 8;

    private static final int MAX_HEADER_BYTES = 0xFF_FFFF;
    private static final int TYPE_SHIFT = 24;

    private FrameCodec() {}

    /** The serialization named by the second int32 of a frame. */
    public static HeaderSerialization serializationOf(int typeAndLength) throws MalformedFrameException {
        return HeaderSerialization.of((byte) (typeAndLength >>> TYPE_SHIFT));
    }

    /** The header length in the second int32 of a frame. */
    public static int headerLengthOf(int typeAndLength) {
        return typeAndLength & MAX_HEADER_BYTES;
    }

    /**
     * Checks the length field of a frame.
     *
     * @throws MalformedFrameException when it is too small for a header or above the limit
     */
    public static void checkFrameLength(int length) throws MalformedFrameException {
        if (length < LENGTH_BYTES || length > MAX_FRAME_BYTES) {
            throw new MalformedFrameException("frame of " + Integer.toUnsignedString(length) + " bytes, accepted are "
                    + LENGTH_BYTES + " to " + MAX_FRAME_BYTES);
        }
    }

    /**
     * Decodes the header of a frame. The result borrows the array.
     *
     * @throws MalformedFrameException when it is no header; the connection should be closed
     */
    public static FrameHeader decodeHeader(HeaderSerialization serialization, byte[] bytes, int offset, int length)
            throws MalformedFrameException {
        return serialization == HeaderSerialization.JSON
                ? JsonHeaderCodec.decode(bytes, offset, length)
                : BinaryHeaderCodec.decode(bytes, offset, length);
    }

    /**
     * Appends the head of a frame, which is everything but the body, to the buffer.
     *
     * @param fields writes the custom header; null for none
     * @param bodyBytes size of the body that will follow
     */
    public static void encodeFrameHead(
            HeaderBuffer out, CommandHead head, @Nullable Consumer<FieldSink> fields, int bodyBytes) {
        int start = out.length();
        out.writeInt(0);
        out.writeInt(0);
        if (head.serialization() == HeaderSerialization.JSON) {
            JsonHeaderCodec.encode(out, head, fields);
        } else {
            BinaryHeaderCodec.encode(out, head, fields);
        }
        int headerBytes = out.length() - start - PREFIX_BYTES;
        if (headerBytes > MAX_HEADER_BYTES) {
            throw new IllegalArgumentException("header of " + headerBytes + " bytes, limit " + MAX_HEADER_BYTES);
        }
        out.putInt(start, LENGTH_BYTES + headerBytes + bodyBytes);
        out.putInt(start + LENGTH_BYTES, head.serialization().code() << TYPE_SHIFT | headerBytes);
    }
}
