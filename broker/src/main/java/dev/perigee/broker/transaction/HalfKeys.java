package dev.perigee.broker.transaction;

import java.nio.ByteBuffer;

/**
 * The entries in the store of the undecided halves; three for each, by birth, by the time of the next check and by place. All three
 * have the same value, so that whoever walks over one kind need not look up another.
 *
 * <pre>
 * key    0     1       9                        value  0       8        16            24          32     36
 *        | 'h' | birth |                               | birth | offset | queueOffset | nextCheck | size | checks |
 *        0     1           9       17
 *        | 'c' | nextCheck | birth |
 *        0     1        9
 *        | 'o' | offset |
 * </pre>
 *
 * <p>Big endian, no number is negative, so the order of the bytes is that of the numbers.
 */
final class HalfKeys {
    private static final byte BIRTH = 'h';
    private static final byte CHECK = 'c';
    private static final byte PLACE = 'o';
    private static final int KEY_BYTES = 9;
    private static final int CHECK_KEY_BYTES = 17;
    private static final int VALUE_BYTES = 40;
    private static final int OFFSET_AT = 8;
    private static final int QUEUE_OFFSET_AT = 16;
    private static final int NEXT_CHECK_AT = 24;
    private static final int SIZE_AT = 32;
    private static final int CHECKS_AT = 36;

    private HalfKeys() {}

    /** The key by birth. */
    static byte[] birth(long birth) {
        return ByteBuffer.allocate(KEY_BYTES).put(BIRTH).putLong(birth).array();
    }

    /** The end (exclusive) of all keys by birth. */
    static byte[] birthEnd() {
        return new byte[] {BIRTH + 1};
    }

    /** The key by the time of the next check. */
    static byte[] check(long nextCheckMs, long birth) {
        return ByteBuffer.allocate(CHECK_KEY_BYTES)
                .put(CHECK)
                .putLong(nextCheckMs)
                .putLong(birth)
                .array();
    }

    /** The end (exclusive) of all keys by time. */
    static byte[] checkEnd() {
        return new byte[] {CHECK + 1};
    }

    /** The key by place. */
    static byte[] place(long offset) {
        return ByteBuffer.allocate(KEY_BYTES).put(PLACE).putLong(offset).array();
    }

    static byte[] value(Half half) {
        return ByteBuffer.allocate(VALUE_BYTES)
                .putLong(half.birth())
                .putLong(half.offset())
                .putLong(half.queueOffset())
                .putLong(half.nextCheckMs())
                .putInt(half.sizeBytes())
                .putInt(half.checks())
                .array();
    }

    static Half half(byte[] value) {
        ByteBuffer bytes = ByteBuffer.wrap(value);
        return new Half(
                bytes.getLong(0),
                bytes.getLong(OFFSET_AT),
                bytes.getInt(SIZE_AT),
                bytes.getLong(QUEUE_OFFSET_AT),
                bytes.getLong(NEXT_CHECK_AT),
                bytes.getInt(CHECKS_AT));
    }
}
