package dev.perigee.broker.timer;

import java.nio.ByteBuffer;

/**
 * The entries in the store of the waiting messages: for each one by due time and one by place, and one more for what can be
 * recalled; one for each that was; and what else the log told.
 *
 * <pre>
 * key    0     1      9      17                 value  0        8      12     20
 *        | 'd' | due  | birth |                        | offset | size | hash |
 *
 * key    0     1        9                       value  0     8       16     20     28
 *        | 'o' | offset |                              | due | birth | size | hash |
 *
 * key    0     1      9       17                value  0     8        16     20
 *        | 'u' | hash | birth |                        | due | offset | size |
 *
 * key    0     1         9      17       25     of what was recalled by the fact at the offset, which lies in that
 *        | 'x' | stretch | hash | offset |      stretch of the log; no value counts
 *
 * key    0     1                                value  0       8      16            24      25
 *        | 's' |                                       | shift | time | forgotten | first |
 * </pre>
 *
 * <p>{@code s} holds the shift of the clock and what it said then; below which offset recalls are forgotten; and 1 when a
 * frame that is no copy, or a fact, told of the clock. A stretch is 4 GiB of the log, so that what was recalled long ago is
 * forgotten with one range, however much it is.
 *
 * <p>Big endian; no due time, birth, offset or size is negative, so the order of their bytes is that of the numbers.
 */
final class TimerKeys {
    static final int DUE_AT = 1;
    static final int BIRTH_AT = 9;
    static final int SIZE_AT = 8;
    static final int HASH_AT = 12;
    static final int PLACE_AT = 1;
    static final int PLACE_BIRTH_AT = 8;
    static final int PLACE_SIZE_AT = 16;
    static final int PLACE_HASH_AT = 20;
    static final int NAMED_HASH_AT = 1;
    static final int NAMED_BIRTH_AT = 9;
    static final int NAMED_OFFSET_AT = 8;
    static final int NAMED_SIZE_AT = 16;
    static final int FACT_AT = 17;
    private static final int STATE_TIME_AT = 8;
    private static final int STATE_FORGOTTEN_AT = 16;
    private static final int STATE_FIRST_AT = 24;
    private static final int STRETCH_BITS = 32;
    private static final int THREE_NUMBERS_BYTES = 25;
    private static final int TWO_NUMBERS_BYTES = 17;
    private static final int ONE_NUMBER_BYTES = 9;
    private static final byte DUE = 'd';
    private static final byte PLACE = 'o';
    private static final byte NAMED = 'u';
    private static final byte RECALLED = 'x';
    private static final byte STATE = 's';

    private TimerKeys() {}

    private static byte[] key(byte kind, long number) {
        return ByteBuffer.allocate(ONE_NUMBER_BYTES).put(kind).putLong(number).array();
    }

    private static byte[] key(byte kind, long first, long second) {
        return ByteBuffer.allocate(TWO_NUMBERS_BYTES)
                .put(kind)
                .putLong(first)
                .putLong(second)
                .array();
    }

    private static byte[] key(byte kind, long first, long second, long third) {
        return ByteBuffer.allocate(THREE_NUMBERS_BYTES)
                .put(kind)
                .putLong(first)
                .putLong(second)
                .putLong(third)
                .array();
    }

    private static byte[] end(byte kind) {
        return new byte[] {(byte) (kind + 1)};
    }

    /** The key by due time. */
    static byte[] due(long dueMs, long birth) {
        return key(DUE, dueMs, birth);
    }

    /** The end (exclusive) of all keys by due time. */
    static byte[] dueEnd() {
        return end(DUE);
    }

    static byte[] dueValue(long offset, int sizeBytes, long hash) {
        return ByteBuffer.allocate(2 * Long.BYTES + Integer.BYTES)
                .putLong(offset)
                .putInt(sizeBytes)
                .putLong(hash)
                .array();
    }

    /** The key by place. */
    static byte[] place(long offset) {
        return key(PLACE, offset);
    }

    /** The end (exclusive) of all keys by place. */
    static byte[] placeEnd() {
        return end(PLACE);
    }

    static byte[] placeValue(WaitingMessage message) {
        return ByteBuffer.allocate(3 * Long.BYTES + Integer.BYTES)
                .putLong(message.dueMs)
                .putLong(message.birth)
                .putInt(message.sizeBytes())
                .putLong(message.recallHash)
                .array();
    }

    /** The key by which a message that can be recalled is found. */
    static byte[] named(long hash, long birth) {
        return key(NAMED, hash, birth);
    }

    /** The end (exclusive) of all keys of what can be recalled. */
    static byte[] namedEnd() {
        return end(NAMED);
    }

    static byte[] namedValue(WaitingMessage message) {
        return ByteBuffer.allocate(2 * Long.BYTES + Integer.BYTES)
                .putLong(message.dueMs)
                .putLong(message.offset())
                .putInt(message.sizeBytes())
                .array();
    }

    /** The stretch of the log in which an offset lies. */
    static long stretch(long offset) {
        return offset >>> STRETCH_BITS;
    }

    /** The key of what was recalled by the fact at that offset. */
    static byte[] recalled(long hash, long factOffset) {
        return recalled(stretch(factOffset), hash, factOffset);
    }

    /** The same, or one before or behind all of a hash in a stretch. */
    static byte[] recalled(long stretch, long hash, long factOffset) {
        return key(RECALLED, stretch, hash, factOffset);
    }

    /** The end (exclusive) of all keys of what was recalled. */
    static byte[] recalledEnd() {
        return end(RECALLED);
    }

    /** The key of what the log told of the clock and of what is forgotten. */
    static byte[] state() {
        return new byte[] {STATE};
    }

    /** The value of an entry whose key says all. */
    static byte[] noValue() {
        return new byte[] {1};
    }

    /** The message that an entry by place stands for. */
    static WaitingMessage placed(byte[] key, byte[] value) {
        return new WaitingMessage(
                longAt(value, 0),
                longAt(value, PLACE_BIRTH_AT),
                longAt(key, PLACE_AT),
                intAt(value, PLACE_SIZE_AT),
                longAt(value, PLACE_HASH_AT));
    }

    /** The message that an entry by due time stands for. */
    static WaitingMessage dueOne(byte[] key, byte[] value) {
        return new WaitingMessage(
                longAt(key, DUE_AT),
                longAt(key, BIRTH_AT),
                longAt(value, 0),
                intAt(value, SIZE_AT),
                longAt(value, HASH_AT));
    }

    /** The message that an entry by hash stands for. */
    static WaitingMessage named(byte[] key, byte[] value) {
        return new WaitingMessage(
                longAt(value, 0),
                longAt(key, NAMED_BIRTH_AT),
                longAt(value, NAMED_OFFSET_AT),
                intAt(value, NAMED_SIZE_AT),
                longAt(key, NAMED_HASH_AT));
    }

    static byte[] stateValue(long shiftMs, long timerMs, long forgottenBelow, boolean first) {
        return ByteBuffer.allocate(3 * Long.BYTES + 1)
                .putLong(shiftMs)
                .putLong(timerMs)
                .putLong(forgottenBelow)
                .put((byte) (first ? 1 : 0))
                .array();
    }

    static long shiftMs(byte[] stateValue) {
        return longAt(stateValue, 0);
    }

    static long timerMs(byte[] stateValue) {
        return longAt(stateValue, STATE_TIME_AT);
    }

    static long forgottenBelow(byte[] stateValue) {
        return longAt(stateValue, STATE_FORGOTTEN_AT);
    }

    static boolean isToldByFirst(byte[] stateValue) {
        return stateValue[STATE_FIRST_AT] != 0;
    }

    static long longAt(byte[] bytes, int at) {
        return ByteBuffer.wrap(bytes).getLong(at);
    }

    static int intAt(byte[] bytes, int at) {
        return ByteBuffer.wrap(bytes).getInt(at);
    }
}
