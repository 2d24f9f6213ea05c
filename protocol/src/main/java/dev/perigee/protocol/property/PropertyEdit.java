package dev.perigee.protocol.property;

import dev.perigee.loop.OwnedBy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Builds the properties a broker stores from those a client sent: copies the bytes, leaves some out, appends others.
 * Reusable; keep one per event loop. Use: {@link #load}, then any number of {@link #put} and {@link #append}, then
 * {@link #writeTo}.
 */
@OwnedBy("one thread at a time")
public final class PropertyEdit {
    private static final int INITIAL_BYTES = 1024;

    private byte[] bytes = new byte[INITIAL_BYTES];
    private int length;

    /** Starts over with nothing. */
    public PropertyEdit clear() {
        length = 0;
        return this;
    }

    /**
     * Starts over with a copy of the given properties, without the named ones and without malformed pairs, and with a
     * separator at the end.
     *
     * @param dropped ASCII names
     */
    public PropertyEdit load(PropertyText text, String... dropped) {
        byte[] source = text.toByteArray();
        ensureRoom(source.length + 1, 0);
        length = 0;
        int from = 0;
        while (from < source.length) {
            int end = PropertyBytes.pairEnd(source, from, source.length);
            if (PropertyBytes.nameEnd(source, from, end) >= 0 && !hasOneOf(source, from, end, dropped)) {
                System.arraycopy(source, from, bytes, length, end - from);
                length += end - from;
                bytes[length++] = PropertyBytes.PAIR_END;
            }
            from = end + 1;
        }
        return this;
    }

    /** Appends pairs that are already encoded, each with its separator. */
    public PropertyEdit append(byte[] encodedPairs) {
        ensureRoom(length + encodedPairs.length, length);
        System.arraycopy(encodedPairs, 0, bytes, length, encodedPairs.length);
        length += encodedPairs.length;
        return this;
    }

    /** Appends one property; an earlier one of the same ASCII name is removed. */
    public PropertyEdit put(String name, String value) {
        remove(name);
        append(name.getBytes(StandardCharsets.UTF_8));
        append(new byte[] {PropertyBytes.NAME_END});
        append(value.getBytes(StandardCharsets.UTF_8));
        return append(new byte[] {PropertyBytes.PAIR_END});
    }

    /** Removes every pair of this ASCII name. */
    public PropertyEdit remove(String name) {
        int kept = 0;
        int from = 0;
        while (from < length) {
            int end = PropertyBytes.pairEnd(bytes, from, length);
            int pairBytes = Math.min(end + 1, length) - from;
            if (!PropertyBytes.hasName(bytes, from, end, name)) {
                System.arraycopy(bytes, from, bytes, kept, pairBytes);
                kept += pairBytes;
            }
            from = end + 1;
        }
        length = kept;
        return this;
    }

    /** How many bytes of {@link #array()} are built. */
    public int sizeBytes() {
        return length;
    }

    /** The array behind; valid up to {@link #sizeBytes()} until the next change. */
    public byte[] array() {
        return bytes;
    }

    /**
     * Writes what was built at the position of the target, which moves behind it.
     *
     * @throws java.nio.BufferOverflowException when the target has less room than {@link #sizeBytes()}
     */
    public void writeTo(ByteBuffer target) {
        target.put(bytes, 0, length);
    }

    /** A copy of what was built. */
    public PropertyText toText() {
        return PropertyText.ofUtf8(Arrays.copyOf(bytes, length));
    }

    /** Encodes pairs for {@link #append}: name, value, name, value, … */
    public static byte[] encode(String... namesAndValues) {
        PropertyEdit edit = new PropertyEdit();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            edit.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return Arrays.copyOf(edit.bytes, edit.length);
    }

    private static boolean hasOneOf(byte[] source, int from, int end, String[] names) {
        for (String name : names) {
            if (PropertyBytes.hasName(source, from, end, name)) {
                return true;
            }
        }
        return false;
    }

    private void ensureRoom(int wanted, int kept) {
        if (bytes.length < wanted) {
            byte[] grown = new byte[Math.max(wanted, bytes.length * 2)];
            System.arraycopy(bytes, 0, grown, 0, kept);
            bytes = grown;
        }
    }
}
