package dev.perigee.protocol.frame;

import dev.perigee.protocol.scan.BigEndian;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The binary form of a header: int16 code, int8 language, int16 version, int32 opaque, int32 flag, int32 remark length,
 * remark, int32 map length, map.
 */
final class BinaryHeaderCodec {
    private static final int FIXED_BYTES = 2 + 1 + 2 + 4 + 4 + 4;
    private static final int LANGUAGE_AT = 2;
    private static final int VERSION_AT = 3;
    private static final int OPAQUE_AT = 5;
    private static final int FLAG_AT = 9;
    private static final int REMARK_LENGTH_AT = 13;

    private static final int FIRST_WIDE_CODE = 200_050;
    private static final int LAST_WIDE_CODE = 200_151;

    private BinaryHeaderCodec() {}

    static FrameHeader decode(byte[] bytes, int offset, int length) throws MalformedFrameException {
        int end = offset + length;
        if (length < FIXED_BYTES + 4) {
            throw new MalformedFrameException("binary header of " + length + " bytes is too short");
        }
        int at = offset + FIXED_BYTES;
        int remarkLength = checkLength("remark", BigEndian.getInt(bytes, offset + REMARK_LENGTH_AT), end - at - 4);
        String remark = remarkLength == 0 ? null : new String(bytes, at, remarkLength, StandardCharsets.UTF_8);
        at += remarkLength;
        int mapLength = checkLength("map", BigEndian.getInt(bytes, at), end - at - 4);
        at += 4;
        if (mapLength > 0) {
            BinaryFieldCursor.check(bytes, at, at + mapLength);
        }
        CommandHead head = new CommandHead(
                fullCode(BigEndian.getShort(bytes, offset)),
                Language.ofCode(bytes[offset + LANGUAGE_AT]),
                BigEndian.getShort(bytes, offset + VERSION_AT),
                BigEndian.getInt(bytes, offset + OPAQUE_AT),
                BigEndian.getInt(bytes, offset + FLAG_AT),
                remark,
                HeaderSerialization.BINARY);
        return new FrameHeader(head, bytes, mapLength == 0 ? -1 : at, at + mapLength);
    }

    static void encode(HeaderBuffer out, CommandHead head, @Nullable Consumer<FieldSink> fields) {
        out.writeShort(head.code());
        out.writeByte(head.language().code());
        out.writeShort(head.version());
        out.writeInt(head.opaque());
        out.writeInt(head.flag());
        int remarkAt = out.length();
        out.writeInt(0);
        String remark = head.remark();
        if (remark != null) {
            out.putInt(remarkAt, out.writeText(remark));
        }
        int mapAt = out.length();
        out.writeInt(0);
        if (fields != null) {
            fields.accept(out.binarySink());
            out.putInt(mapAt, out.length() - mapAt - 4);
        }
    }

    /**
     * The header has 16 bits for the code, so requests of the 200000 range arrive truncated. The truncated numbers are
     * free, so they are read as what they stand for.
     */
    private static int fullCode(int truncated) {
        return truncated >= (short) FIRST_WIDE_CODE && truncated <= (short) LAST_WIDE_CODE
                ? truncated - (short) FIRST_WIDE_CODE + FIRST_WIDE_CODE
                : truncated;
    }

    private static int checkLength(String what, int length, int room) throws MalformedFrameException {
        if (length < 0 || length > room) {
            throw new MalformedFrameException(what + " of " + length + " bytes does not fit the header");
        }
        return length;
    }
}
