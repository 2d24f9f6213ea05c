package dev.perigee.broker.mark;

import dev.perigee.loop.Immutable;
import java.util.List;

/**
 * The text of a mark, taken apart: numbers with colons between them and, behind commas, what else there is to say, told apart by its
 * first letter. A mark of one number is that of a first frame, one of more that of a frame made from another.
 *
 * @param numbers the texts between the colons
 * @param more the texts behind the commas
 */
@Immutable
public record MarkText(List<String> numbers, List<String> more) {
    /** Between numbers. */
    public static final char SEPARATOR = ':';
    /** Before all else there is to say. */
    public static final char MORE = ',';

    public MarkText {
        numbers = List.copyOf(numbers);
        more = List.copyOf(more);
    }

    /** Takes any text apart. */
    public static MarkText of(String text) {
        List<String> parts = List.of(text.split(String.valueOf(MORE), -1));
        List<String> numbers = List.of(parts.get(0).split(String.valueOf(SEPARATOR), -1));
        return new MarkText(numbers, parts.subList(1, parts.size()));
    }

    /** Whether it is of a first frame. */
    public boolean isFirst() {
        return numbers.size() == 1;
    }

    /**
     * A number.
     *
     * @throws NumberFormatException when there is none at that place
     */
    public long number(int at) {
        return Long.parseLong(numbers.get(at));
    }

    /**
     * What the mark says of the clock of what waits.
     *
     * @throws NumberFormatException when it says something that is no number
     */
    public ClockNote clock() {
        return new ClockNote(more(ClockNote.SHIFT, 0), more(ClockNote.TIME, ClockNote.UNTOLD));
    }

    /**
     * The number behind a comma and a letter.
     *
     * @param absent what to give where there is none
     * @throws NumberFormatException when there is something that is no number
     */
    public long more(char letter, long absent) {
        long found = absent;
        for (String each : more) {
            if (kind(each) == letter) {
                found = Long.parseLong(each, 1, each.length(), 10);
            }
        }
        return found;
    }

    /** By what letter a text behind a comma is told apart; the comma itself for an empty one. */
    public static char kind(String each) {
        return each.isEmpty() ? MORE : each.charAt(0);
    }
}
