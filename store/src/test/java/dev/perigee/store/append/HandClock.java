package dev.perigee.store.append;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;

/** A clock moved by hand. */
@OwnedBy("the test")
final class HandClock implements Clock {
    private long wallMs = 1_700_000_000_000L;
    private long monotonicNs;

    private long lookTakesMs;

    @Override
    public long wallMs() {
        long read = wallMs;
        pass(lookTakesMs);
        return read;
    }

    @Override
    public long monotonicNs() {
        return monotonicNs;
    }

    /** Real time passes. */
    void pass(long ms) {
        wallMs += ms;
        monotonicNs += ms * 1_000_000;
    }

    /** Real time passes with each look at the wall clock. */
    void lookTakesMs(long ms) {
        lookTakesMs = ms;
    }

    /** Somebody sets the clock. */
    void jump(long ms) {
        wallMs += ms;
    }
}
