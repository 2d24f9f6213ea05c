package dev.perigee.cli.output;

import com.github.freva.asciitable.HorizontalAlign;
import dev.perigee.loop.Immutable;
import java.util.Collection;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * One column of a table, which is one member of each object in JSON.
 *
 * @param title over the column
 * @param member name in JSON
 * @param align how the cells stand
 * @param value number, boolean, text or list
 * @param <T> what a row is made from
 */
@Immutable
public record Column<T>(String title, String member, HorizontalAlign align, Function<T, Object> value) {
    /** A column of words. */
    public static <T> Column<T> text(String title, String member, Function<T, Object> value) {
        return new Column<>(title, member, HorizontalAlign.LEFT, value);
    }

    /** A column of numbers. */
    public static <T> Column<T> number(String title, String member, Function<T, Object> value) {
        return new Column<>(title, member, HorizontalAlign.RIGHT, value);
    }

    String cell(T row) {
        Object shown = value.apply(row);
        return shown instanceof Collection<?> several
                ? several.stream().map(String::valueOf).collect(Collectors.joining(" "))
                : String.valueOf(shown);
    }
}
