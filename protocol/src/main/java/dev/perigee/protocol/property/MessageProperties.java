package dev.perigee.protocol.property;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Properties as maps: {@code name 0x01 value 0x02 …}. */
public final class MessageProperties {
    /** The most encoded bytes a frame can hold. */
    public static final int MAX_BYTES = Short.MAX_VALUE;

    private static final char NAME_END = (char) PropertyBytes.NAME_END;
    private static final char PAIR_END = (char) PropertyBytes.PAIR_END;

    private MessageProperties() {}

    /** Reads encoded properties. Pairs without a name or a value are left out; the last separator may be missing. */
    public static Map<String, String> parse(byte[] utf8) {
        Map<String, String> properties = new LinkedHashMap<>();
        int from = 0;
        while (from < utf8.length) {
            int end = PropertyBytes.pairEnd(utf8, from, utf8.length);
            int nameEnd = PropertyBytes.nameEnd(utf8, from, end);
            if (nameEnd >= 0) {
                properties.put(
                        new String(utf8, from, nameEnd - from, StandardCharsets.UTF_8),
                        new String(utf8, nameEnd + 1, end - nameEnd - 1, StandardCharsets.UTF_8));
            }
            from = end + 1;
        }
        return properties;
    }

    /** As {@link #parse(byte[])}, of text. */
    public static Map<String, String> parse(String text) {
        return parse(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Encodes properties, a separator behind every pair. Names and values must pass {@link #isPlain}. */
    public static String format(Map<String, String> properties) {
        StringBuilder text = new StringBuilder();
        properties.forEach((name, value) ->
                text.append(name).append(NAME_END).append(value).append(PAIR_END));
        return text.toString();
    }

    /** Whether a name or value can be encoded: not empty and without the two separators. */
    public static boolean isPlain(String text) {
        return !text.isEmpty() && text.indexOf(NAME_END) < 0 && text.indexOf(PAIR_END) < 0;
    }
}
