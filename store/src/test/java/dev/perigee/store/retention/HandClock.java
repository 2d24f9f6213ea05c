package dev.perigee.store.retention;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;

/** A clock that moves when told. */
@OwnedBy("the test")
final class HandClock implements Clock {
    private long wallMs;
    private long monotonicMs = 1_000;

    HandClock(long wallMs) {
        this.wallMs = wallMs;
    }

    void advance(long ms) {
        wallMs += ms;
        monotonicMs += ms;
    }

    void wall(long ms) {
        wallMs = ms;
    }

    @Override
    public long wallMs() {
        return wallMs;
    }

    @Override
    public long monotonicNs() {
        return monotonicMs * 1_000_000L;
    }
}
