package dev.perigee.store.view;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.property.PropertyKey;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The properties of the current frame: {@code name 0x01 value 0x02 …} (message-format §2), copied once and searched once
 * for what views need of every frame. Part of {@link LogEntry} and as short-lived.
 */
@OwnedBy("its LogEntry")
public final class PropertyScan {
    private static final int HASH_PRIME = 31;
    /** The names of interest with the separator that ends a name. */
    private static final byte[] TAGS = ascii("TAGS\u0001");

    private static final byte[] KEYS = ascii("KEYS\u0001");
    private static final byte[] UNIQUE_KEY = ascii("UNIQ_KEY\u0001");
    private static final byte[] TIMER_MARK = ascii(PropertyKey.TIMER_MARK + "\u0001");
    private static final byte[] HALF_MARK = ascii(PropertyKey.HALF_MARK + "\u0001");
    private static final long PAIR_ENDS = 0x0202020202020202L;
    private static final long LOW_BITS = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private byte[] bytes = new byte[1024];
    private int size;
    private int tagsFrom;
    private int tagsTo;
    private int keysFrom;
    private int keysTo;
    private int uniqueKeyFrom;
    private int uniqueKeyTo;
    private int timerMarkFrom;
    private int timerMarkTo;
    private int halfMarkFrom;
    private int halfMarkTo;

    PropertyScan() {}

    void scan(ByteBuffer buffer, int position, int length) {
        if (length + Long.BYTES > bytes.length) {
            bytes = new byte[Math.max(length + Long.BYTES, bytes.length * 2)];
        }
        buffer.get(position, bytes, 0, length);
        size = length;
        tagsFrom = tagsTo = keysFrom = keysTo = uniqueKeyFrom = uniqueKeyTo = timerMarkFrom = timerMarkTo = 0;
        halfMarkFrom = halfMarkTo = 0;
        int from = 0;
        while (from < length) {
            int pairEnd = pairEnd(from);
            note(from, pairEnd);
            from = pairEnd + 1;
        }
    }

    /**
     * The place of the separator after a pair, or the end. Looks at eight bytes at once: a byte that equals the separator
     * becomes zero by the exclusive or, and the lowest zero byte is the lowest one whose top bit the subtraction sets.
     */
    private int pairEnd(int from) {
        int at = from;
        while (at < size) {
            long word = (long) WORD.get(bytes, at) ^ PAIR_ENDS;
            long zeros = (word - LOW_BITS) & ~word & HIGH_BITS;
            if (zeros != 0) {
                return Math.min(size, at + (Long.numberOfTrailingZeros(zeros) >>> 3));
            }
            at += Long.BYTES;
        }
        return size;
    }

    private void note(int from, int pairEnd) {
        if (isAt(UNIQUE_KEY, from, pairEnd)) {
            uniqueKeyFrom = from + UNIQUE_KEY.length;
            uniqueKeyTo = pairEnd;
        } else if (isAt(KEYS, from, pairEnd)) {
            keysFrom = from + KEYS.length;
            keysTo = pairEnd;
        } else if (isAt(TAGS, from, pairEnd)) {
            tagsFrom = from + TAGS.length;
            tagsTo = pairEnd;
        } else if (isAt(TIMER_MARK, from, pairEnd)) {
            timerMarkFrom = from + TIMER_MARK.length;
            timerMarkTo = pairEnd;
        } else if (isAt(HALF_MARK, from, pairEnd)) {
            halfMarkFrom = from + HALF_MARK.length;
            halfMarkTo = pairEnd;
        }
    }

    private boolean isAt(byte[] name, int from, int pairEnd) {
        if (pairEnd - from < name.length || bytes[from] != name[0]) {
            return false;
        }
        for (int i = 1; i < name.length; i++) {
            if (bytes[from + i] != name[i]) {
                return false;
            }
        }
        return true;
    }

    /** The bytes the places below point into; more may lie behind them. */
    public byte[] bytes() {
        return bytes;
    }

    /** First byte of the value of KEYS; equal to {@link #keysTo()} without one. */
    public int keysFrom() {
        return keysFrom;
    }

    /** The byte after the value of KEYS (exclusive). */
    public int keysTo() {
        return keysTo;
    }

    /** First byte of the value of UNIQ_KEY; equal to {@link #uniqueKeyTo()} without one. */
    public int uniqueKeyFrom() {
        return uniqueKeyFrom;
    }

    /** The byte after the value of UNIQ_KEY (exclusive). */
    public int uniqueKeyTo() {
        return uniqueKeyTo;
    }

    /** The value of {@link PropertyKey#TIMER_MARK}; null without one, as nearly always. */
    public @Nullable String timerMark() {
        return timerMarkFrom == timerMarkTo
                ? null
                : new String(bytes, timerMarkFrom, timerMarkTo - timerMarkFrom, StandardCharsets.US_ASCII);
    }

    /** The value of {@link PropertyKey#HALF_MARK}; null without one, as nearly always. */
    public @Nullable String halfMark() {
        return halfMarkFrom == halfMarkTo
                ? null
                : new String(bytes, halfMarkFrom, halfMarkTo - halfMarkFrom, StandardCharsets.US_ASCII);
    }

    /** Whether the frame changes a view that keeps a store: its messages wait for something, or waited. */
    boolean hasMark() {
        return timerMarkFrom != timerMarkTo || halfMarkFrom != halfMarkTo;
    }

    /** Java's hash of the tag's text, sign-extended; 0 without a tag (message-format §6). */
    long tagHash() {
        int hash = 0;
        for (int i = tagsFrom; i < tagsTo; i++) {
            if (bytes[i] < 0) {
                return new String(bytes, tagsFrom, tagsTo - tagsFrom, StandardCharsets.UTF_8).hashCode();
            }
            hash = hash * HASH_PRIME + bytes[i];
        }
        return hash;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
