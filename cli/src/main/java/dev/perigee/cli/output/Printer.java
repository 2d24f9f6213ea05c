package dev.perigee.cli.output;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.ColumnData;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.json.Json;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Prints results either for a person or, with {@code --json}, for a program: one JSON value per command or line. */
@OwnedBy("command thread")
public final class Printer {
    private final PrintWriter out;
    private final Format format;

    /** For whom a result is printed. */
    public enum Format {
        /** Tables and sentences. */
        TEXT,
        /** JSON in UTF-8. */
        JSON
    }

    public Printer(PrintWriter out, Format format) {
        this.out = out;
        this.format = format;
    }

    /** Whether programs read what is printed. */
    public boolean isJson() {
        return format == Format.JSON;
    }

    /** A table, or an array of objects. {@code whenEmpty} stands in place of a table without rows. */
    public <T> void rows(List<T> rows, List<Column<T>> columns, String whenEmpty) {
        if (isJson()) {
            json(objects(rows, columns));
        } else if (rows.isEmpty()) {
            line(whenEmpty);
        } else {
            line(table(rows, columns));
        }
    }

    /** Rows that are printed as they come, so that they need not all be in memory. */
    public <T> Rows<T> rows(List<Column<T>> columns) {
        return new Rows<>(this, columns);
    }

    /** One thing with named members: one member per line, or an object. */
    public void members(Map<String, ?> members) {
        if (isJson()) {
            json(members);
            return;
        }
        int width = members.keySet().stream().mapToInt(String::length).max().orElse(0);
        members.forEach((name, value) ->
                line(name + " ".repeat(width - name.length() + 2) + Harmless.part(String.valueOf(value))));
    }

    /** A sentence for a person; nothing in JSON. */
    public void sentence(String text) {
        if (!isJson()) {
            line(text);
        }
    }

    /** One JSON value on a line of its own. */
    public void json(Object value) {
        print(text(value));
    }

    /** A value as JSON. */
    static String text(Object value) {
        return new String(Json.write(value), StandardCharsets.UTF_8);
    }

    /**
     * A line, or several, with control characters of whoever wrote it shown as dots.
     *
     * @throws OutputLostException when nobody takes it
     */
    public void line(String text) {
        print(Harmless.lines(text));
    }

    /** As it is. */
    void print(String text) {
        out.println(text);
        out.flush();
        if (out.checkError() || System.out.checkError()) { // the writer may end in System.out, which keeps it to itself
            throw new OutputLostException();
        }
    }

    /** The rows as they stand in JSON. */
    public static <T> List<Map<String, Object>> objects(List<T> rows, List<Column<T>> columns) {
        return rows.stream().map(row -> object(row, columns)).toList();
    }

    static <T> String table(List<T> rows, List<Column<T>> columns) {
        List<ColumnData<T>> data = new ArrayList<>();
        for (Column<T> column : columns) {
            if (!column.isInTables()) {
                continue;
            }
            data.add(new com.github.freva.asciitable.Column()
                    .header(column.title())
                    .headerAlign(column.align())
                    .dataAlign(column.align())
                    .with(column::cell));
        }
        return AsciiTable.getTable(AsciiTable.BASIC_ASCII_NO_DATA_SEPARATORS, rows, data);
    }

    static <T> Map<String, Object> object(T row, List<Column<T>> columns) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (Column<T> column : columns) {
            Object value = column.value().apply(row);
            if (value != null) {
                object.put(column.member(), value);
            }
        }
        return object;
    }
}
