package dev.perigee.store.tail;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store timestamp: max(previous frame's, clock). A clock that jumps forward by more than {@link #MAX_STEP_MS} beyond
 * what really passed is followed slowly, a tenth faster than time passes (R18), so that one wrong setting of a clock does
 * not make every message old, or every timer due, at once.
 */
@OwnedBy("log loop")
public final class StoreTime {
    /** A forward step this large is taken at once. */
    static final long MAX_STEP_MS = 5_000;

    private static final int SLEW_SHARE = 10;
    private static final long NS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Logger LOG = LoggerFactory.getLogger(StoreTime.class);

    private final Clock clock;
    private long lastMs;
    private long lastMonotonicNs;
    private long carryNs;
    private boolean slewing;

    /** @param recoveredMs the store timestamp of the last frame in the log */
    public StoreTime(Clock clock, long recoveredMs) {
        this.clock = clock;
        this.lastMs = Math.max(recoveredMs, clock.wallMs());
        this.lastMonotonicNs = clock.monotonicNs();
    }

    /** The timestamp for what is appended now; never falls. */
    public long next() {
        long nowNs = clock.monotonicNs();
        long wallMs = clock.wallMs();
        long elapsedNs = Math.max(0, nowNs - lastMonotonicNs);
        lastMonotonicNs = nowNs;
        if (wallMs <= lastMs) {
            carryNs = 0;
            changeSlewing(false, wallMs);
            return lastMs;
        }
        if (wallMs - lastMs <= MAX_STEP_MS + elapsedNs / NS_PER_MS) {
            carryNs = 0;
            changeSlewing(false, wallMs);
            lastMs = wallMs;
            return lastMs;
        }
        changeSlewing(true, wallMs);
        carryNs += elapsedNs + elapsedNs / SLEW_SHARE;
        lastMs += carryNs / NS_PER_MS;
        carryNs %= NS_PER_MS;
        return lastMs;
    }

    /**
     * Another node gave this time to a frame of this log: what is appended here later is not older. Steps of the clock are
     * measured from now on.
     */
    public void atLeast(long frameMs) {
        if (frameMs > lastMs) {
            lastMs = frameMs;
            lastMonotonicNs = clock.monotonicNs();
            carryNs = 0;
        }
    }

    /** The time given last, in milliseconds of log time. */
    public long last() {
        return lastMs;
    }

    private void changeSlewing(boolean now, long wallMs) {
        if (slewing != now) {
            slewing = now;
            LOG.warn("event=store_clock_slew active={} clockAheadMs={}", now, wallMs - lastMs);
        }
    }
}
