package dev.perigee.protocol.frame;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.scan.BigEndian;
import dev.perigee.protocol.scan.DecimalText;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Walks over the map section of a binary header. The section was checked by {@link #check} before. */
@OwnedBy("the thread that decodes the frame")
final class BinaryFieldCursor implements FieldCursor {
    static final FieldCursor EMPTY = new BinaryFieldCursor(new byte[0], 0, 0);

    private final byte[] bytes;
    private final int end;
    private int position;
    private int keyStart;
    private int keyEnd;
    private int valueStart;

    BinaryFieldCursor(byte[] bytes, int start, int end) {
        this.bytes = bytes;
        this.position = start;
        this.end = end;
    }

    /** Checks that every key and value lies inside the section. */
    static void check(byte[] bytes, int start, int end) throws MalformedFrameException {
        int at = start;
        while (at < end) {
            if (end - at < 2) {
                throw new MalformedFrameException("field name length cut off at header byte " + at);
            }
            int keyLength = BigEndian.getShort(bytes, at);
            at += 2;
            if (keyLength < 0 || end - at < keyLength + 4L) {
                throw new MalformedFrameException("field name of " + keyLength + " bytes does not fit the header");
            }
            at += keyLength;
            int valueLength = BigEndian.getInt(bytes, at);
            at += 4;
            if (valueLength < 0 || end - at < valueLength) {
                throw new MalformedFrameException("field value of " + valueLength + " bytes does not fit the header");
            }
            at += valueLength;
        }
    }

    @Override
    public boolean next() {
        while (position < end) {
            int keyLength = BigEndian.getShort(bytes, position);
            keyStart = position + 2;
            keyEnd = keyStart + keyLength;
            int valueLength = BigEndian.getInt(bytes, keyEnd);
            valueStart = keyEnd + 4;
            position = valueStart + valueLength;
            if (keyLength > 0 && valueLength > 0) {
                return true;
            }
        }
        return false;
    }

    @Override
    public int key(KeyTable table) {
        return table.indexOf(bytes, keyStart, keyEnd);
    }

    @Override
    public String keyText() {
        return new String(bytes, keyStart, keyEnd - keyStart, StandardCharsets.UTF_8);
    }

    @Override
    public String text() {
        return new String(bytes, valueStart, position - valueStart, StandardCharsets.UTF_8);
    }

    @Override
    public byte[] utf8() {
        return Arrays.copyOfRange(bytes, valueStart, position);
    }

    @Override
    public long longValue() throws BadFieldException {
        try {
            return DecimalText.parseLong(bytes, valueStart, position);
        } catch (NumberFormatException e) {
            throw BadFieldException.unreadable(keyText(), text(), "a whole number of 64 bits");
        }
    }

    @Override
    public int intValue() throws BadFieldException {
        try {
            return Math.toIntExact(DecimalText.parseLong(bytes, valueStart, position));
        } catch (NumberFormatException | ArithmeticException e) {
            throw BadFieldException.unreadable(keyText(), text(), "a whole number of 32 bits");
        }
    }

    @Override
    public boolean booleanValue() {
        return DecimalText.isTrue(bytes, valueStart, position);
    }

    @Override
    public void skip() {
        // next() already stands behind the value
    }
}
