package dev.perigee.protocol.fact;

/**
 * The clock of waiting messages is ahead of the wall clock by so much from now on. A node that does not know this fact goes by
 * what newer waiting messages say of the same.
 *
 * @param shiftMs by how much
 * @param timerMs what it said then
 */
public record TimerShifted(long shiftMs, long timerMs) implements Fact {
    static final String KIND = "TIMER_SHIFTED";

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public boolean mustUnderstand() {
        return false;
    }
}
