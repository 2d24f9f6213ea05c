package dev.perigee.sim.cluster;

import dev.perigee.loop.Clock;
import java.util.concurrent.TimeUnit;

/** A clock that stands still until it is turned. */
public final class TurnedClock implements Clock {
    private static final long START_MS = 1_760_000_000_000L;

    private long nowMs = START_MS;

    @Override
    public long wallMs() {
        return nowMs;
    }

    @Override
    public long monotonicNs() {
        return TimeUnit.MILLISECONDS.toNanos(nowMs);
    }

    void turnMs(long ms) {
        nowMs += ms;
    }

    /** How far it was turned. */
    public long sinceStartMs() {
        return nowMs - START_MS;
    }
}
