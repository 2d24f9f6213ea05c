package dev.perigee.protocol.scan;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Turns the inside of a JSON string literal, whose escapes were checked, into UTF-8. */
public final class JsonEscapes {
    private static final byte[] UNPAIRED = {'?'};
    private static final int HEX_RADIX = 16;
    private static final byte[] HEX_VALUES = hexValues();
    private static final int ESCAPE_BYTES = 6;

    private JsonEscapes() {}

    public static byte[] unescape(byte[] bytes, int from, int to) {
        byte[] out = new byte[to - from]; // an escape is never shorter than what it stands for
        int length = 0;
        int at = from;
        while (at < to) {
            byte b = bytes[at];
            if (b != '\\') {
                out[length++] = b;
                at++;
            } else if (bytes[at + 1] != 'u') {
                out[length++] = simple(bytes[at + 1]);
                at += 2;
            } else {
                int unit = hexUnit(bytes, at + 2);
                if (unit < 0x80) {
                    out[length++] = (byte) unit;
                    at += ESCAPE_BYTES;
                } else {
                    int consumed = wide(unit, bytes, at, to);
                    byte[] encoded = encode(unit, bytes, at, consumed);
                    System.arraycopy(encoded, 0, out, length, encoded.length);
                    length += encoded.length;
                    at += consumed;
                }
            }
        }
        return length == out.length ? out : Arrays.copyOf(out, length);
    }

    /** Bytes taken by the character whose first unit is given: two escapes for a surrogate pair. */
    private static int wide(int unit, byte[] bytes, int at, int to) {
        boolean pair = Character.isHighSurrogate((char) unit)
                && to - at >= 2 * ESCAPE_BYTES
                && bytes[at + ESCAPE_BYTES] == '\\'
                && bytes[at + ESCAPE_BYTES + 1] == 'u'
                && Character.isLowSurrogate((char) hexUnit(bytes, at + ESCAPE_BYTES + 2));
        return pair ? 2 * ESCAPE_BYTES : ESCAPE_BYTES;
    }

    private static byte[] encode(int unit, byte[] bytes, int at, int consumed) {
        if (consumed > ESCAPE_BYTES) {
            char low = (char) hexUnit(bytes, at + ESCAPE_BYTES + 2);
            return new String(new char[] {(char) unit, low}).getBytes(StandardCharsets.UTF_8);
        }
        if (Character.isSurrogate((char) unit)) {
            return UNPAIRED;
        }
        return String.valueOf((char) unit).getBytes(StandardCharsets.UTF_8);
    }

    private static byte simple(byte letter) {
        return switch (letter) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            default -> letter;
        };
    }

    private static int hexUnit(byte[] bytes, int at) {
        return hexDigit(bytes[at]) << 12
                | hexDigit(bytes[at + 1]) << 8
                | hexDigit(bytes[at + 2]) << 4
                | hexDigit(bytes[at + 3]);
    }

    /** The value of a hexadecimal digit, or −1. */
    static int hexDigit(byte digit) {
        return digit < 0 ? -1 : HEX_VALUES[digit];
    }

    private static byte[] hexValues() {
        byte[] values = new byte[Byte.MAX_VALUE + 1];
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) Character.digit(i, HEX_RADIX);
        }
        return values;
    }
}
