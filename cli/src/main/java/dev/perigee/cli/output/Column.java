package dev.perigee.cli.output;

import com.github.freva.asciitable.HorizontalAlign;
import dev.perigee.loop.Immutable;
import java.util.Collection;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One column of a table, which is one member of each object in JSON; or such a member alone, for which a table has no room.
 *
 * @param title over the column; empty for what stands in JSON only
 * @param member name in JSON
 * @param align how the cells stand
 * @param value number, boolean, text, list or map; null for nothing, which JSON leaves out
 * @param <T> what a row is made from
 */
@Immutable
public record Column<T>(String title, String member, HorizontalAlign align, Function<T, @Nullable Object> value) {
    /** A column of words. */
    public static <T> Column<T> text(String title, String member, Function<T, @Nullable Object> value) {
        return new Column<>(title, member, HorizontalAlign.LEFT, value);
    }

    /** A column of numbers. */
    public static <T> Column<T> number(String title, String member, Function<T, @Nullable Object> value) {
        return new Column<>(title, member, HorizontalAlign.RIGHT, value);
    }

    /** A member that only programs see. */
    public static <T> Column<T> json(String member, Function<T, @Nullable Object> value) {
        return new Column<>("", member, HorizontalAlign.LEFT, value);
    }

    boolean isInTables() {
        return !title.isEmpty();
    }

    String cell(T row) {
        Object shown = value.apply(row);
        return shown == null ? "-" : Harmless.part(text(shown));
    }

    private static String text(Object shown) {
        return shown instanceof Collection<?> several
                ? several.stream().map(String::valueOf).collect(Collectors.joining(" "))
                : shown instanceof Map<?, ?> map
                        ? map.entrySet().stream().map(String::valueOf).collect(Collectors.joining(" "))
                        : String.valueOf(shown);
    }
}
