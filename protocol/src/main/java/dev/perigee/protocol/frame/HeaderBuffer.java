package dev.perigee.protocol.frame;

import dev.perigee.loop.OwnedBy;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A reusable, growing byte array that frame heads are written into. Keep one per event loop and reset it per burst. */
@OwnedBy("one thread at a time")
public final class HeaderBuffer {
    private static final int INITIAL_BYTES = 512;
    private static final int MAX_LONG_DIGITS = 20;
    private static final int FIRST_NOT_ASCII = 0x80;

    private byte[] bytes = new byte[INITIAL_BYTES];
    private int length;
    private final BinaryFieldSink binarySink = new BinaryFieldSink(this);

    /** Forgets what was written; the array is kept. */
    public void reset() {
        length = 0;
    }

    /** The array behind the buffer; valid up to {@link #length()} until the next write. */
    public byte[] array() {
        return bytes;
    }

    /** How many bytes of {@link #array()} are written. */
    public int length() {
        return length;
    }

    /** A new array with everything written. */
    public byte[] toByteArray() {
        return Arrays.copyOf(bytes, length);
    }

    BinaryFieldSink binarySink() {
        return binarySink;
    }

    void writeByte(int value) {
        ensure(1);
        bytes[length++] = (byte) value;
    }

    void writeShort(int value) {
        ensure(2);
        bytes[length++] = (byte) (value >>> 8);
        bytes[length++] = (byte) value;
    }

    void writeInt(int value) {
        ensure(4);
        putInt(length, value);
        length += 4;
    }

    /** Overwrites four bytes that were written before. */
    void putInt(int position, int value) {
        bytes[position] = (byte) (value >>> 24);
        bytes[position + 1] = (byte) (value >>> 16);
        bytes[position + 2] = (byte) (value >>> 8);
        bytes[position + 3] = (byte) value;
    }

    void writeBytes(byte[] source, int from, int count) {
        ensure(count);
        System.arraycopy(source, from, bytes, length, count);
        length += count;
    }

    void writeBytes(byte[] source) {
        writeBytes(source, 0, source.length);
    }

    /** Writes text as UTF-8; an unpaired surrogate becomes a question mark. Returns the number of bytes. */
    int writeText(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= FIRST_NOT_ASCII) {
                byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
                writeBytes(utf8);
                return utf8.length;
            }
        }
        writeAscii(text);
        return text.length();
    }

    /** Writes text that is known to be ASCII. */
    @SuppressWarnings("deprecation") // getBytes(int, int, byte[], int) copies Latin-1 text without a temporary array
    void writeAscii(String text) {
        int chars = text.length();
        ensure(chars);
        text.getBytes(0, chars, bytes, length);
        length += chars;
    }

    /** Writes a decimal number. Returns the number of bytes. */
    int writeDecimal(long value) {
        ensure(MAX_LONG_DIGITS);
        if (value == Long.MIN_VALUE) {
            return writeText(Long.toString(value));
        }
        int start = length;
        long rest = value;
        if (rest < 0) {
            bytes[length++] = '-';
            rest = -rest;
        }
        int digits = 1;
        for (long bound = 10; digits < MAX_LONG_DIGITS - 1 && rest >= bound; bound *= 10) {
            digits++;
        }
        for (int i = length + digits - 1; i >= length; i--) {
            bytes[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += digits;
        return length - start;
    }

    private void ensure(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }
}
