package dev.perigee.namesrv;

import dev.perigee.loop.Clock;
import java.util.concurrent.atomic.AtomicLong;

/** The machine's clock, moved forward by hand. */
final class ShiftedClock implements Clock {
    private final AtomicLong shiftNs = new AtomicLong();

    void advanceMs(long ms) {
        shiftNs.addAndGet(ms * 1_000_000L);
    }

    @Override
    public long wallMs() {
        return Clock.system().wallMs() + shiftNs.get() / 1_000_000L;
    }

    @Override
    public long monotonicNs() {
        return Clock.system().monotonicNs() + shiftNs.get();
    }
}
