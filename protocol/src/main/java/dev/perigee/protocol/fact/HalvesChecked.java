package dev.perigee.protocol.fact;

import java.util.List;

/**
 * It was the turn of undecided halves to be asked for, and when it is next. The halves themselves stay where they are, so that
 * asking costs the same whatever their size.
 *
 * @param entries which
 * @param nextCheckMs when their producers are asked next, by the clock of what waits
 * @param counted whether somebody was asked now; false when nobody was there to be asked, or they could not be set aside
 * @param atMs when that was, by that clock; 0 in facts from before that was told
 */
public record HalvesChecked(List<HalfRef> entries, long nextCheckMs, boolean counted, long atMs) implements Fact {
    static final String KIND = "HALVES_CHECKED";

    /** The most entries of one fact. */
    public static final int MAX_ENTRIES = 1_000;

    public HalvesChecked {
        entries = entries == null ? List.of() : entries;
    }

    @Override
    public String kind() {
        return KIND;
    }
}
