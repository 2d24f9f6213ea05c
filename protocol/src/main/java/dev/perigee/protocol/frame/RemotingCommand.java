package dev.perigee.protocol.frame;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.scan.BigEndian;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A whole command that owns its parts: for tools, tests and slow paths. The body must not be changed.
 *
 * @param head the fixed fields
 * @param extFields the custom header as texts, or null for none
 * @param body the body; empty for none
 */
@Immutable
@SuppressWarnings("ArrayRecordComponent") // compared nowhere
public record RemotingCommand(CommandHead head, @Nullable Map<String, String> extFields, byte[] body) {

    /** A command whose custom header comes from a writer, for instance of a typed header. */
    public static RemotingCommand of(CommandHead head, @Nullable Consumer<FieldSink> fields, byte[] body) {
        return new RemotingCommand(head, fields == null ? null : toMap(fields), body);
    }

    /** Reads one whole frame, length field included. */
    public static RemotingCommand decode(byte[] frame) throws MalformedFrameException {
        if (frame.length < FrameCodec.PREFIX_BYTES) {
            throw new MalformedFrameException("frame cut off after " + frame.length + " bytes");
        }
        int length = BigEndian.getInt(frame, 0);
        FrameCodec.checkFrameLength(length);
        int typeAndLength = BigEndian.getInt(frame, FrameCodec.LENGTH_BYTES);
        int headerLength = FrameCodec.headerLengthOf(typeAndLength);
        if (length != frame.length - FrameCodec.LENGTH_BYTES || headerLength > length - FrameCodec.LENGTH_BYTES) {
            throw new MalformedFrameException("frame of " + length + " bytes with a header of " + headerLength
                    + " bytes in " + frame.length + " bytes");
        }
        FrameHeader header = FrameCodec.decodeHeader(
                FrameCodec.serializationOf(typeAndLength), frame, FrameCodec.PREFIX_BYTES, headerLength);
        byte[] body = new byte[length - FrameCodec.LENGTH_BYTES - headerLength];
        System.arraycopy(frame, FrameCodec.PREFIX_BYTES + headerLength, body, 0, body.length);
        return new RemotingCommand(header.head(), header.hasFields() ? toMap(header.fields()) : null, body);
    }

    /** Writes the whole frame, length field included. */
    public byte[] encode() {
        HeaderBuffer out = new HeaderBuffer();
        FrameCodec.encodeFrameHead(out, head, extFields == null ? null : this::writeFields, body.length);
        out.writeBytes(body);
        return out.toByteArray();
    }

    /** A cursor over the custom header, to read it as a typed one. */
    public FieldCursor fields() {
        return cursorOver(this::writeFields);
    }

    /** All fields of a cursor as a map, in their order. */
    public static Map<String, String> toMap(FieldCursor fields) {
        Map<String, String> map = new LinkedHashMap<>();
        while (fields.next()) {
            map.put(fields.keyText(), fields.text());
        }
        return map;
    }

    /** All fields a writer writes as a map, in their order; empty values are left out; nothing for null. */
    public static Map<String, String> toMap(@Nullable Consumer<FieldSink> fields) {
        return fields == null ? Map.of() : toMap(cursorOver(fields));
    }

    private void writeFields(FieldSink sink) {
        if (extFields != null) {
            extFields.forEach(sink::text);
        }
    }

    private static FieldCursor cursorOver(Consumer<FieldSink> fields) {
        HeaderBuffer out = new HeaderBuffer();
        fields.accept(out.binarySink());
        return new BinaryFieldCursor(out.array(), 0, out.length());
    }
}
