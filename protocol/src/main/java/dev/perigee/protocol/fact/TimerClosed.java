package dev.perigee.protocol.fact;

import java.util.List;

/**
 * Waiting messages will not be delivered: what they were for is gone. A delivery needs no fact, for the delivered message
 * itself says what it delivers.
 *
 * @param entries which
 * @param reason why, for people
 */
public record TimerClosed(List<TimerRef> entries, String reason) implements Fact {
    static final String KIND = "TIMER_CLOSED";

    /** The most entries of one fact. */
    public static final int MAX_ENTRIES = 1_000;

    public TimerClosed {
        entries = entries == null ? List.of() : entries;
    }

    @Override
    public String kind() {
        return KIND;
    }
}
