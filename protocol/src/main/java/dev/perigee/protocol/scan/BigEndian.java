package dev.perigee.protocol.scan;

/** Reads big-endian numbers from a byte array. */
public final class BigEndian {
    private BigEndian() {}

    /** A signed 32-bit number; four bytes must be there. */
    public static int getInt(byte[] bytes, int at) {
        return bytes[at] << 24 | (bytes[at + 1] & 0xFF) << 16 | (bytes[at + 2] & 0xFF) << 8 | (bytes[at + 3] & 0xFF);
    }

    /** A signed 16-bit number. */
    public static int getShort(byte[] bytes, int at) {
        return (short) (bytes[at] << 8 | (bytes[at + 1] & 0xFF));
    }
}
