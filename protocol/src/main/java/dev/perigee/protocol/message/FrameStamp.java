package dev.perigee.protocol.message;

import dev.perigee.protocol.property.PropertyKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * The stamp that ends every stored frame: a last property of fixed width, {@code __STAMP# 0x01}, 8 hex digits epoch, 1
 * character for the unit, 8 hex digits CRC-32C, {@code 0x02}. The unit's character is one of 64: its lowest bit says that
 * the next frame belongs to the same unit; the others hold a number of bits, 0 for unknown, that the distance from the
 * frame back to the bytes known durable when it was written fits in, so that recovery can tell a torn tail from a rotten
 * one. The CRC covers every
 * byte of the frame before its own digits except the body, which has a CRC of its own.
 *
 * <p>Pure functions over a frame at an absolute position; positions and limits of buffers are left alone.
 */
public final class FrameStamp {
    private static final byte[] NAME = (PropertyKey.STAMP + "\u0001").getBytes(StandardCharsets.US_ASCII);
    private static final int HEX_DIGITS = 8;
    private static final int EPOCH_AT = NAME.length;
    private static final int CONTINUES_AT = EPOCH_AT + HEX_DIGITS;
    private static final int CRC_AT = CONTINUES_AT + 1;
    private static final byte END = 2;

    /** Bytes of the stamp; they count against the limit of the properties. */
    public static final int BYTES = CRC_AT + HEX_DIGITS + 1;

    private static final byte[] UNIT_DIGITS =
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_".getBytes(StandardCharsets.US_ASCII);
    private static final int MAX_UNSYNCED_BITS = UNIT_DIGITS.length / 2 - 1;

    private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private FrameStamp() {}

    /** Puts an empty stamp at the buffer's position. */
    static void reserve(ByteBuffer out) {
        out.put(NAME);
        for (int i = EPOCH_AT; i < BYTES - 1; i++) {
            out.put((byte) '0');
        }
        out.put(END);
    }

    /** As {@link #write(ByteBuffer, int, int, int, boolean, long)}, without a word on what is durable. */
    public static void write(ByteBuffer buffer, int position, int sizeBytes, int epoch, boolean unitContinues) {
        write(buffer, position, sizeBytes, epoch, unitContinues, Long.MAX_VALUE);
    }

    /**
     * Fills in the stamp of a frame; everything else in the frame must be final.
     *
     * @param unitContinues whether the next frame belongs to the same unit of append
     * @param unsyncedBytes how many bytes before the frame are not known to be on the disk yet
     */
    public static void write(
            ByteBuffer buffer, int position, int sizeBytes, int epoch, boolean unitContinues, long unsyncedBytes) {
        int stamp = position + sizeBytes - BYTES;
        putHex(buffer, stamp + EPOCH_AT, epoch);
        int bits = Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(unsyncedBytes));
        int known = bits > MAX_UNSYNCED_BITS ? 0 : bits;
        buffer.put(stamp + CONTINUES_AT, UNIT_DIGITS[known << 1 | (unitContinues ? 1 : 0)]);
        putHex(buffer, stamp + CRC_AT, crc(buffer, position, stamp + CRC_AT));
    }

    /** Whether a frame of sound lengths ends with a stamp; frames of stock brokers do not. */
    public static boolean isPresent(ByteBuffer buffer, int position, int sizeBytes) {
        int stamp = position + sizeBytes - BYTES;
        if (sizeBytes < MessageFrame.MIN_BYTES + BYTES || buffer.get(stamp + BYTES - 1) != END) {
            return false;
        }
        for (int i = 0; i < NAME.length; i++) {
            if (buffer.get(stamp + i) != NAME[i]) {
                return false;
            }
        }
        return true;
    }

    /** The epoch in the stamp of a stamped frame; unreadable digits give a number that fails the CRC anyway. */
    public static int epoch(ByteBuffer buffer, int position, int sizeBytes) {
        return getHex(buffer, position + sizeBytes - BYTES + EPOCH_AT);
    }

    /** Whether the next frame belongs to the same unit as this stamped frame. */
    public static boolean unitContinues(ByteBuffer buffer, int position, int sizeBytes) {
        return (unitDigit(buffer, position, sizeBytes) & 1) == 1;
    }

    /**
     * How many bytes before this stamped frame may not have been on the disk when it was written, at most; {@link
     * Long#MAX_VALUE} when unknown.
     */
    public static long unsyncedBytes(ByteBuffer buffer, int position, int sizeBytes) {
        int bits = unitDigit(buffer, position, sizeBytes) >>> 1;
        return bits == 0 ? Long.MAX_VALUE : (1L << bits) - 1;
    }

    private static int unitDigit(ByteBuffer buffer, int position, int sizeBytes) {
        byte digit = buffer.get(position + sizeBytes - BYTES + CONTINUES_AT);
        for (int i = 0; i < UNIT_DIGITS.length; i++) {
            if (UNIT_DIGITS[i] == digit) {
                return i;
            }
        }
        return 0;
    }

    /** Whether the CRC of a stamped frame of sound lengths is right. */
    public static boolean isSound(ByteBuffer buffer, int position, int sizeBytes) {
        int crcAt = position + sizeBytes - BYTES + CRC_AT;
        return getHex(buffer, crcAt) == crc(buffer, position, crcAt)
                && isLowerHex(buffer, crcAt)
                && isLowerHex(buffer, position + sizeBytes - BYTES + EPOCH_AT);
    }

    private static int crc(ByteBuffer buffer, int position, int end) {
        int bodyLengthAt = MessageFrame.bodyLengthAt(buffer.getInt(position + MessageFrame.SYS_FLAG_AT));
        int bodyStart = position + bodyLengthAt + Integer.BYTES;
        int bodyEnd = bodyStart + buffer.getInt(position + bodyLengthAt);
        ByteBuffer view = buffer.duplicate().clear();
        CRC32C crc = new CRC32C();
        crc.update(view.limit(bodyStart).position(position));
        crc.update(view.limit(end).position(bodyEnd));
        return (int) crc.getValue();
    }

    private static void putHex(ByteBuffer buffer, int at, int value) {
        for (int i = 0; i < HEX_DIGITS; i++) {
            buffer.put(at + i, DIGITS[(value >>> ((HEX_DIGITS - 1 - i) * 4)) & 0xF]);
        }
    }

    private static int getHex(ByteBuffer buffer, int at) {
        int value = 0;
        for (int i = 0; i < HEX_DIGITS; i++) {
            value = (value << 4) | (Character.digit(buffer.get(at + i), 16) & 0xF);
        }
        return value;
    }

    private static boolean isLowerHex(ByteBuffer buffer, int at) {
        for (int i = 0; i < HEX_DIGITS; i++) {
            byte b = buffer.get(at + i);
            if ((b < '0' || b > '9') && (b < 'a' || b > 'f')) {
                return false;
            }
        }
        return true;
    }
}
