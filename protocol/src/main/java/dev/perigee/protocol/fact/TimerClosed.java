package dev.perigee.protocol.fact;

import java.util.List;

/**
 * Waiting messages will not be delivered: what they were for is gone, or they were recalled. A delivery needs no fact, for
 * the delivered message itself says what it delivers.
 *
 * @param entries which
 * @param reason why, for people
 * @param recalled whether their producers took them back; false in facts of older releases
 */
public record TimerClosed(List<TimerRef> entries, String reason, boolean recalled) implements Fact {
    static final String KIND = "TIMER_CLOSED";

    /** The most entries of one fact. */
    public static final int MAX_ENTRIES = 1_000;

    public TimerClosed {
        entries = entries == null ? List.of() : entries;
    }

    /** Messages that nobody can get any more. */
    public static TimerClosed lost(List<TimerRef> entries, String reason) {
        return new TimerClosed(entries, reason, false);
    }

    @Override
    public String kind() {
        return KIND;
    }
}
