package dev.perigee.broker.transaction;

import java.nio.ByteBuffer;

/**
 * The entries in the store of the halves: three for each that is undecided, by birth, by the time of the next check and by place, and one for
 * each of those that were decided last. The first three have the same value, so that whoever walks over one kind need not look up another.
 *
 * <pre>
 * key    0     1       9                        value  0       8        16            24          32     36       40         48      56
 *        | 'h' | birth |                               | birth | offset | queueOffset | nextCheck | size | checks | accepted | asked |
 *        0     1           9       17
 *        | 'c' | nextCheck | birth |
 *        0     1        9
 *        | 'o' | offset |
 *
 * key    0     1          9       17            value  0         1            9
 *        | 'z' | closedAt | birth |                    | outcome | lastOffset |
 * </pre>
 *
 * <p>{@code closedAt} is the offset of the frame or the fact that closed the half, {@code outcome} {@code c}, {@code r} or {@code s}.
 *
 * <p>Big endian, no number is negative, so the order of the bytes is that of the numbers.
 */
final class HalfKeys {
    private static final byte BIRTH = 'h';
    private static final byte CHECK = 'c';
    private static final byte PLACE = 'o';
    private static final byte OUTCOME = 'z';
    private static final int KEY_BYTES = 9;
    private static final int TWO_NUMBERS_KEY_BYTES = 17;
    private static final int VALUE_BYTES = 56;
    private static final int OUTCOME_BYTES = 9;
    private static final int CLOSED_AT = 1;
    private static final int CLOSED_BIRTH_AT = 9;
    private static final int LAST_OFFSET_AT = 1;
    private static final int OFFSET_AT = 8;
    private static final int QUEUE_OFFSET_AT = 16;
    private static final int NEXT_CHECK_AT = 24;
    private static final int SIZE_AT = 32;
    private static final int CHECKS_AT = 36;
    private static final int ACCEPTED_AT = 40;
    private static final int ASKED_AT = 48;

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
        return key(CHECK, nextCheckMs, birth);
    }

    private static byte[] key(byte kind, long first, long second) {
        return ByteBuffer.allocate(TWO_NUMBERS_KEY_BYTES)
                .put(kind)
                .putLong(first)
                .putLong(second)
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

    /** The end (exclusive) of all keys by place. */
    static byte[] placeEnd() {
        return new byte[] {PLACE + 1};
    }

    static byte[] value(Half half) {
        return ByteBuffer.allocate(VALUE_BYTES)
                .putLong(half.birth())
                .putLong(half.offset())
                .putLong(half.queueOffset())
                .putLong(half.nextCheckMs())
                .putInt(half.sizeBytes())
                .putInt(half.checks())
                .putLong(half.acceptedMs())
                .putLong(half.askedMs())
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
                bytes.getInt(CHECKS_AT),
                bytes.getLong(ACCEPTED_AT),
                bytes.getLong(ASKED_AT));
    }

    /** The key of what became of a half. */
    static byte[] outcome(long closedAt, long birth) {
        return key(OUTCOME, closedAt, birth);
    }

    /** The end (exclusive) of all keys of what became of halves. */
    static byte[] outcomeEnd() {
        return new byte[] {OUTCOME + 1};
    }

    static byte[] outcomeValue(Outcomes.Closed closed) {
        return ByteBuffer.allocate(OUTCOME_BYTES)
                .put(closed.outcome().code)
                .putLong(closed.lastOffset())
                .array();
    }

    /** Which half an entry tells the outcome of. */
    static long closedBirth(byte[] key) {
        return ByteBuffer.wrap(key).getLong(CLOSED_BIRTH_AT);
    }

    /** What it tells. */
    static Outcomes.Closed closed(byte[] key, byte[] value) {
        return new Outcomes.Closed(
                Outcome.of(value[0]),
                ByteBuffer.wrap(value).getLong(LAST_OFFSET_AT),
                ByteBuffer.wrap(key).getLong(CLOSED_AT));
    }
}
