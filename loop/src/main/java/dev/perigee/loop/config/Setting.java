package dev.perigee.loop.config;

import dev.perigee.loop.Immutable;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One setting: its key, how its text is read, its default, unit and meaning. Made once as a constant; the settings of a
 * configuration are listed for {@link ConfigReader} and for {@link SettingTable}.
 *
 * <p>Example: {@code Setting.ofInt("listenPort", 10911, 0, 65535).doc("Port for clients; 0 picks a free one.")}
 *
 * @param <T> the type of the value
 */
@Immutable
public final class Setting<T> {
    private final String key;
    private final T defaultValue;
    private final String accepted;
    private final Function<String, @Nullable T> parser;
    private final String unit;
    private final String doc;
    private final boolean effective;

    private Setting(
            String key,
            T defaultValue,
            String accepted,
            Function<String, @Nullable T> parser,
            String unit,
            String doc,
            boolean effective) {
        this.key = key;
        this.defaultValue = defaultValue;
        this.accepted = accepted;
        this.parser = parser;
        this.unit = unit;
        this.doc = doc;
        this.effective = effective;
    }

    /** A whole number within bounds, both included. */
    public static Setting<Integer> ofInt(String key, int defaultValue, int min, int max) {
        return of(key, defaultValue, range(min, max), text -> {
            int value = Integer.parseInt(text);
            return value < min || value > max ? null : value;
        });
    }

    /** A whole number within bounds, both included. */
    public static Setting<Long> ofLong(String key, long defaultValue, long min, long max) {
        return of(key, defaultValue, range(min, max), text -> {
            long value = Long.parseLong(text);
            return value < min || value > max ? null : value;
        });
    }

    /** {@code true} or {@code false}, in any case. */
    public static Setting<Boolean> ofBoolean(String key, boolean defaultValue) {
        return of(key, defaultValue, "true or false", text -> switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> Boolean.TRUE;
            case "false" -> Boolean.FALSE;
            default -> null;
        });
    }

    /** Any text. */
    public static Setting<String> ofText(String key, String defaultValue) {
        return of(key, defaultValue, "text", text -> text);
    }

    /** One of the names of an enum, in any case. */
    public static <E extends Enum<E>> Setting<E> ofEnum(String key, E defaultValue) {
        E[] constants = defaultValue.getDeclaringClass().getEnumConstants();
        String names = Arrays.stream(constants).map(Enum::name).collect(Collectors.joining(", "));
        return of(key, defaultValue, "one of " + names, text -> {
            for (E constant : constants) {
                if (constant.name().equalsIgnoreCase(text)) {
                    return constant;
                }
            }
            return null;
        });
    }

    /**
     * Anything a function can read.
     *
     * @param accepted what the function accepts, in words
     * @param parser gives null, or throws {@link IllegalArgumentException}, for text that is not accepted
     */
    public static <T> Setting<T> of(String key, T defaultValue, String accepted, Function<String, @Nullable T> parser) {
        return new Setting<>(key, defaultValue, accepted, parser, "", "", true);
    }

    /** The same setting with a unit, for instance {@code ms}. */
    public Setting<T> unit(String newUnit) {
        return new Setting<>(key, defaultValue, accepted, parser, newUnit, doc, effective);
    }

    /** The same setting with a sentence about what it does. */
    public Setting<T> doc(String newDoc) {
        return new Setting<>(key, defaultValue, accepted, parser, unit, newDoc, effective);
    }

    /** The same setting as one that is read but changes nothing; {@code why} completes "Has no effect: …". */
    public Setting<T> withoutEffect(String why) {
        return new Setting<>(key, defaultValue, accepted, parser, unit, "Has no effect: " + why, false);
    }

    /** The key, as it stands in files. */
    public String key() {
        return key;
    }

    /** The value when the key is absent or blank. */
    public T defaultValue() {
        return defaultValue;
    }

    /** What is accepted, in words. */
    public String accepted() {
        return accepted;
    }

    /** Whether a value changes anything. */
    public boolean isEffective() {
        return effective;
    }

    /** The unit of the value, for instance {@code ms}; empty when it has none. */
    public String unit() {
        return unit;
    }

    /** A sentence about what it does, for the manual; empty when none was given. */
    public String doc() {
        return doc;
    }

    /**
     * Reads a value; blanks around it are ignored.
     *
     * @throws ConfigException when the text is not accepted
     */
    public T parse(String text) {
        T value;
        try {
            value = parser.apply(text.strip());
        } catch (IllegalArgumentException e) {
            ConfigException refused = new ConfigException(key, text, accepted);
            refused.initCause(e);
            throw refused;
        }
        if (value == null) {
            throw new ConfigException(key, text, accepted);
        }
        return value;
    }

    @Override
    public String toString() {
        return key;
    }

    private static String range(long min, long max) {
        return "a whole number from " + min + " to " + max;
    }
}
