package dev.perigee.loop.config;

import dev.perigee.loop.Immutable;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * One configuration key: its spelling, default, accepted range and one sentence for the manual. Units stand in the
 * sentence, because keys keep RocketMQ's spelling.
 *
 * @param <T> the type of the value
 */
@Immutable
public final class Setting<T> {
    private final String key;
    private final String defaultText;
    private final String accepted;
    private final String doc;
    private final Function<String, T> parser;

    private Setting(String key, String defaultText, String accepted, String doc, Function<String, T> parser) {
        this.key = key;
        this.defaultText = defaultText;
        this.accepted = accepted;
        this.doc = doc;
        this.parser = parser;
    }

    /** A whole number within [min, max]. */
    public static Setting<Integer> integer(String key, int byDefault, int min, int max, String doc) {
        return new Setting<>(key, Integer.toString(byDefault), "an integer from " + min + " to " + max, doc, text -> {
            int value = Integer.parseInt(text);
            check(value >= min && value <= max);
            return value;
        });
    }

    /** A whole number within [min, max]. */
    public static Setting<Long> number(String key, long byDefault, long min, long max, String doc) {
        return new Setting<>(key, Long.toString(byDefault), "an integer from " + min + " to " + max, doc, text -> {
            long value = Long.parseLong(text);
            check(value >= min && value <= max);
            return value;
        });
    }

    /** {@code true} or {@code false}, nothing else. */
    public static Setting<Boolean> flag(String key, boolean byDefault, String doc) {
        return new Setting<>(key, Boolean.toString(byDefault), "true or false", doc, text -> {
            String lower = text.toLowerCase(Locale.ROOT);
            check(lower.equals("true") || lower.equals("false"));
            return lower.equals("true");
        });
    }

    /** Any text; blanks at both ends are dropped. */
    public static Setting<String> text(String key, String byDefault, String doc) {
        return new Setting<>(key, byDefault, "text", doc, Function.identity());
    }

    /** One of the constants of an enum, by name. */
    public static <E extends Enum<E>> Setting<E> choice(String key, E byDefault, String doc) {
        Class<E> type = byDefault.getDeclaringClass();
        String names =
                Arrays.stream(type.getEnumConstants()).map(Enum::name).collect(Collectors.joining(", ", "one of ", ""));
        return new Setting<>(
                key, byDefault.name(), names, doc, text -> Enum.valueOf(type, text.toUpperCase(Locale.ROOT)));
    }

    public String key() {
        return key;
    }

    /** The default, as it would stand in a file. */
    public String defaultText() {
        return defaultText;
    }

    /** What is accepted, in words. */
    public String accepted() {
        return accepted;
    }

    /** One sentence for the manual. */
    public String doc() {
        return doc;
    }

    /**
     * Reads a value.
     *
     * @throws ConfigException when the text is not accepted
     */
    public T parse(String text) {
        String trimmed = text.trim();
        try {
            return parser.apply(trimmed);
        } catch (IllegalArgumentException e) {
            ConfigException refused = new ConfigException(key, trimmed, accepted);
            refused.initCause(e);
            throw refused;
        }
    }

    private static void check(boolean accepted) {
        if (!accepted) {
            throw new IllegalArgumentException("out of range");
        }
    }
}
