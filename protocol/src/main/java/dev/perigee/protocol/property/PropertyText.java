package dev.perigee.protocol.property;

import dev.perigee.loop.Immutable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Encoded properties as they travel and lie on disk: {@code name 0x01 value 0x02 …} in UTF-8. Looked at without decoding.
 * When a name comes twice, the last one counts.
 */
@Immutable
public final class PropertyText {
    public static final PropertyText EMPTY = new PropertyText(new byte[0]);

    private final byte[] utf8;

    private PropertyText(byte[] utf8) {
        this.utf8 = utf8;
    }

    /** Takes over the array; it must not be changed any more. */
    public static PropertyText ofUtf8(byte[] utf8) {
        return utf8.length == 0 ? EMPTY : new PropertyText(utf8);
    }

    /** Encoded properties that are at hand as text. */
    public static PropertyText of(String text) {
        return ofUtf8(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Encodes a map, in its order. */
    public static PropertyText of(Map<String, String> properties) {
        return ofUtf8(MessageProperties.format(properties).getBytes(StandardCharsets.UTF_8));
    }

    /** The length in bytes, as encoded. */
    public int sizeBytes() {
        return utf8.length;
    }

    /** The array itself; it must not be changed. */
    public byte[] toByteArray() {
        return utf8;
    }

    /** The value of a property, or null. The name must be ASCII. */
    public @Nullable String get(String name) {
        String found = null;
        int from = 0;
        while (from < utf8.length) {
            int end = PropertyBytes.pairEnd(utf8, from, utf8.length);
            if (PropertyBytes.hasName(utf8, from, end, name)) {
                int valueStart = from + name.length() + 1;
                found = new String(utf8, valueStart, end - valueStart, StandardCharsets.UTF_8);
            }
            from = end + 1;
        }
        return found;
    }

    /** Whether the property is there. The name must be ASCII. */
    public boolean has(String name) {
        int from = 0;
        while (from < utf8.length) {
            int end = PropertyBytes.pairEnd(utf8, from, utf8.length);
            if (PropertyBytes.hasName(utf8, from, end, name)) {
                return true;
            }
            from = end + 1;
        }
        return false;
    }

    /** All properties, decoded, in their order. */
    public Map<String, String> toMap() {
        return MessageProperties.parse(utf8);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PropertyText that && Arrays.equals(utf8, that.utf8);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(utf8);
    }

    /** The encoded text. */
    @Override
    public String toString() {
        return new String(utf8, StandardCharsets.UTF_8);
    }
}
