package dev.perigee.broker.timer;

import dev.perigee.loop.Immutable;

/** When a message is to be delivered. */
public sealed interface DueTime {
    /** It does not wait. */
    @Immutable
    record AtOnce() implements DueTime {
        static final AtOnce INSTANCE = new AtOnce();
    }

    /**
     * It waits.
     *
     * @param dueMs until then, by the {@link TimerClock}
     * @param shiftMs by how much that clock was ahead of the wall clock when this was decided
     * @param decidedMs when it was decided, by that clock
     * @param level the delay level, 0 for a message that names a time
     */
    @Immutable
    record At(long dueMs, long shiftMs, long decidedMs, int level) implements DueTime {
        /** Until then, by the wall clock as it was when this was decided: what clients are told. */
        public long wallMs() {
            return dueMs - shiftMs;
        }
    }

    /**
     * What it says cannot be.
     *
     * @param remark property, value and limit
     */
    @Immutable
    record Bad(String remark) implements DueTime {}
}
