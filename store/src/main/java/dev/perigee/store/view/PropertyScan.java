package dev.perigee.store.view;

import dev.perigee.loop.OwnedBy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The properties of the current frame: {@code name 0x01 value 0x02 …} (message-format §2), copied once and searched once
 * for what views need of every frame. Part of {@link LogEntry} and as short-lived.
 */
@OwnedBy("its LogEntry")
public final class PropertyScan {
    private static final byte NAME_END = 1;
    private static final byte PAIR_END = 2;
    private static final int HASH_PRIME = 31;
    private static final byte[] TAGS = ascii("TAGS");
    private static final byte[] KEYS = ascii("KEYS");
    private static final byte[] UNIQUE_KEY = ascii("UNIQ_KEY");

    private byte[] bytes = new byte[1024];
    private int size;
    private int tagsFrom;
    private int tagsTo;
    private int keysFrom;
    private int keysTo;
    private int uniqueKeyFrom;
    private int uniqueKeyTo;

    PropertyScan() {}

    void scan(ByteBuffer buffer, int position, int length) {
        if (length > bytes.length) {
            bytes = new byte[Math.max(length, bytes.length * 2)];
        }
        buffer.get(position, bytes, 0, length);
        size = length;
        tagsFrom = tagsTo = keysFrom = keysTo = uniqueKeyFrom = uniqueKeyTo = 0;
        int from = 0;
        while (from < length) {
            int nameEnd = find(NAME_END, from);
            int pairEnd = find(PAIR_END, nameEnd);
            if (nameEnd < pairEnd) {
                note(from, nameEnd, pairEnd);
            }
            from = pairEnd + 1;
        }
    }

    private int find(byte wanted, int from) {
        byte[] source = bytes;
        int at = from;
        while (at < size && source[at] != wanted) {
            at++;
        }
        return at;
    }

    private void note(int from, int nameEnd, int pairEnd) {
        int nameSize = nameEnd - from;
        if (nameSize == UNIQUE_KEY.length && isAt(UNIQUE_KEY, from)) {
            uniqueKeyFrom = nameEnd + 1;
            uniqueKeyTo = pairEnd;
        } else if (nameSize == TAGS.length) {
            if (isAt(TAGS, from)) {
                tagsFrom = nameEnd + 1;
                tagsTo = pairEnd;
            } else if (isAt(KEYS, from)) {
                keysFrom = nameEnd + 1;
                keysTo = pairEnd;
            }
        }
    }

    private boolean isAt(byte[] name, int from) {
        for (int i = 0; i < name.length; i++) {
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
