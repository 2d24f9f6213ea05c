package dev.perigee.protocol.frame;

/**
 * Walks over the custom header ("ext fields") of one command, field by field, without building a map.
 *
 * <p>Use: {@code while (cursor.next()) switch (cursor.key(KEYS)) { case 0 -> topic = cursor.text(); … default ->
 * cursor.skip(); }}. At most one of the value methods or {@link #skip()} follows each {@link #next()}. When a key comes
 * twice, the last one wins. Fields whose value is null (JSON) or nothing (binary) are passed over, as if absent. A cursor
 * borrows the bytes it walks over: it is valid only while the frame is being decoded.
 */
public interface FieldCursor {
    /** Moves to the next field; false at the end. */
    boolean next();

    /** The index of the current field's name in the table, or {@link KeyTable#UNKNOWN}. */
    int key(KeyTable table);

    /** The current field's name as text. */
    String keyText();

    /** The value as text. A JSON number or boolean is given as its text. */
    String text();

    /** The value as UTF-8 bytes, a new array. */
    byte[] utf8();

    /** The value as a decimal number. */
    long longValue() throws BadFieldException;

    /** The value as a decimal number that fits an int. */
    int intValue() throws BadFieldException;

    /** True exactly for the text {@code true} in any case; all else is false. */
    boolean booleanValue();

    /** Passes over the value. */
    void skip();
}
