package dev.perigee.cli.output;

/**
 * Text of others as a terminal may be given it: control characters, which could move its cursor or change what stands there, are
 * shown as dots. Pure.
 */
public final class Harmless {
    private Harmless() {}

    /** What may take several lines: line ends and tabs stay. */
    public static String lines(String text) {
        return shown(text, "\n\t");
    }

    /** What is part of a line, or a cell: line ends and tabs are shown as dots too. */
    public static String part(String text) {
        return shown(text, "");
    }

    private static String shown(String text, String kept) {
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints()
                .forEach(point ->
                        shown.appendCodePoint(Character.isISOControl(point) && kept.indexOf(point) < 0 ? '.' : point));
        return shown.toString();
    }
}
