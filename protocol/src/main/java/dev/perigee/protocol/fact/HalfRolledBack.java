package dev.perigee.protocol.fact;

import java.util.List;

/**
 * Halves of transactions will never be delivered. A commit needs no fact, for the committed message itself says which half it
 * closes.
 *
 * @param entries which
 * @param reason why, for people
 */
public record HalfRolledBack(List<HalfRef> entries, String reason) implements Fact {
    static final String KIND = "HALF_ROLLED_BACK";

    /** The most entries of one fact. */
    public static final int MAX_ENTRIES = 1_000;

    public HalfRolledBack {
        entries = entries == null ? List.of() : entries;
    }

    @Override
    public String kind() {
        return KIND;
    }
}
