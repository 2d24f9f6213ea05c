package dev.perigee.protocol.frame;

import org.jspecify.annotations.Nullable;

/** Takes the custom header of a command, field by field, in the serialization of the frame being written. */
public interface FieldSink {
    /** Writes one field; nothing is written when the value is null. */
    void text(String name, @Nullable String value);

    /** Writes one field whose value is given as UTF-8 bytes. */
    void utf8(String name, byte[] value);

    /** Writes a number as decimal text. */
    void number(String name, long value);

    /** Writes {@code true} or {@code false}. */
    void flag(String name, boolean value);
}
