package dev.perigee.client.fake;

import dev.perigee.loop.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until it is moved. */
public final class ManualClock implements Clock {
    private final AtomicLong nowMs = new AtomicLong(1_700_000_000_000L);

    @Override
    public long wallMs() {
        return nowMs.get();
    }

    @Override
    public long monotonicNs() {
        return TimeUnit.MILLISECONDS.toNanos(nowMs.get());
    }

    public void advanceMs(long ms) {
        nowMs.addAndGet(ms);
    }
}
