package dev.perigee.broker.mark;

import dev.perigee.loop.Immutable;

/**
 * What the log says of the {@code TimerClock}, by which a restart goes on with it.
 *
 * @param shiftMs by how much it was ahead of the wall clock
 * @param timerMs what it said then, milliseconds; {@link #UNTOLD} when the log does not say
 */
@Immutable
public record ClockNote(long shiftMs, long timerMs) {
    /** Stands for a time that is not told. */
    public static final long UNTOLD = Long.MIN_VALUE;

    /** Nothing was said. */
    public static final ClockNote NONE = new ClockNote(0, UNTOLD);

    /** The most bytes that {@link #text} has. */
    public static final int MAX_BYTES = 2 * (2 + 20);

    static final char SHIFT = 's';
    static final char TIME = 't';

    /** What it tells a node with a wall clock of its own: the time, and nothing of the steps of the other's wall clock. */
    public ClockNote ofAnotherNode() {
        return new ClockNote(0, timerMs);
    }

    /** What stands at the end of a mark: {@code ,s<shift>} unless that is 0, and {@code ,t<time>} where it is told. */
    public String text() {
        String shift = shiftMs == 0 ? "" : MarkText.MORE + String.valueOf(SHIFT) + shiftMs;
        return timerMs == UNTOLD ? shift : shift + MarkText.MORE + TIME + timerMs;
    }
}
