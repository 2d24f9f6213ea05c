package dev.perigee.cli.output;

import dev.perigee.loop.OwnedBy;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows that are printed as they come: as one JSON array with an object on each line, or as tables of {@value #TABLE_ROWS} rows, each with its
 * head.
 *
 * @param <T> what a row is made from
 */
@OwnedBy("command thread")
public final class Rows<T> {
    static final int TABLE_ROWS = 1_000;

    private final Printer printer;
    private final List<Column<T>> columns;
    private final List<T> gathered = new ArrayList<>();
    private boolean begun;

    Rows(Printer printer, List<Column<T>> columns) {
        this.printer = printer;
        this.columns = columns;
    }

    /** Prints a row, now or with others. */
    public void add(T row) {
        if (printer.isJson()) {
            printer.print((begun ? "," : "[") + Printer.text(Printer.object(row, columns)));
            begun = true;
            return;
        }
        gathered.add(row);
        if (gathered.size() == TABLE_ROWS) {
            printTable();
        }
    }

    private void printTable() {
        printer.line(Printer.table(gathered, columns));
        gathered.clear();
        begun = true;
    }

    /** There are no more. {@code whenEmpty} stands in place of a table without rows. */
    public void end(String whenEmpty) {
        if (printer.isJson()) {
            printer.print(begun ? "]" : "[]");
        } else if (!gathered.isEmpty()) {
            printTable();
        } else if (!begun) {
            printer.line(whenEmpty);
        }
    }
}
