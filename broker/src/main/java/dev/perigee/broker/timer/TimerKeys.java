package dev.perigee.broker.timer;

import java.nio.ByteBuffer;

/**
 * The entries in the store of the waiting messages; two for each, one by due time and one by place.
 *
 * <pre>
 * key    0     1      9      17                 value  0         8      12
 *        | 'd' | due  | birth |                        | offset  | size |
 *
 * key    0     1        9                       value  0     8       16     20
 *        | 'o' | offset |                              | due | birth | size |
 * </pre>
 *
 * <p>Big endian, no number is negative, so the order of the bytes is that of the numbers.
 */
final class TimerKeys {
    static final int DUE_AT = 1;
    static final int BIRTH_AT = 9;
    static final int SIZE_AT = 8;
    static final int PLACE_AT = 1;
    static final int PLACE_BIRTH_AT = 8;
    static final int PLACE_SIZE_AT = 16;
    private static final int PLACE_VALUE_BYTES = 20;
    private static final int DUE_KEY_BYTES = 17;
    private static final int PLACE_KEY_BYTES = 9;
    private static final byte DUE = 'd';
    private static final byte PLACE = 'o';

    private TimerKeys() {}

    /** The key by due time. */
    static byte[] due(long dueMs, long birth) {
        return ByteBuffer.allocate(DUE_KEY_BYTES)
                .put(DUE)
                .putLong(dueMs)
                .putLong(birth)
                .array();
    }

    /** The end (exclusive) of all keys by due time. */
    static byte[] dueEnd() {
        return new byte[] {DUE + 1};
    }

    static byte[] dueValue(long offset, int sizeBytes) {
        return ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
                .putLong(offset)
                .putInt(sizeBytes)
                .array();
    }

    /** The key by place. */
    static byte[] place(long offset) {
        return ByteBuffer.allocate(PLACE_KEY_BYTES).put(PLACE).putLong(offset).array();
    }

    static byte[] placeValue(long dueMs, long birth, int sizeBytes) {
        return ByteBuffer.allocate(PLACE_VALUE_BYTES)
                .putLong(dueMs)
                .putLong(birth)
                .putInt(sizeBytes)
                .array();
    }

    static long longAt(byte[] bytes, int at) {
        return ByteBuffer.wrap(bytes).getLong(at);
    }

    static int intAt(byte[] bytes, int at) {
        return ByteBuffer.wrap(bytes).getInt(at);
    }
}
