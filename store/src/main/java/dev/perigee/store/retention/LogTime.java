package dev.perigee.store.retention;

import dev.perigee.loop.OwnedBy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time by which age is judged (R17): the newest store time in the log plus the monotonic time since it was seen. A
 * jump that monotonic time does not explain, inside a run or between two, means that some clock was wrong; then age is not
 * judged for a while, so that an operator can act before everything looks old.
 */
@OwnedBy("view loop")
final class LogTime {
    /** How far log time may run ahead of monotonic time before it counts as a jump. */
    static final long JUMP_TOLERANCE_MS = 3_600_000;
    /** How long age is not judged after a jump. */
    static final long PAUSE_MS = 3_600_000;

    private static final Logger LOG = LoggerFactory.getLogger(LogTime.class);

    private final long longestStopMs;
    private boolean started;
    private long anchorStoreMs;
    private long anchorMs;
    private long pausedUntilMs;

    /** @param longestStopMs log time between two runs from which on it counts as a jump */
    LogTime(long longestStopMs) {
        this.longestStopMs = longestStopMs;
    }

    /** Looks at the newest store time; to be called every now and then. */
    void observe(RetentionView view, long monotonicMs) {
        if (view.lastStoreMs() == 0) {
            return; // an empty log has no time
        }
        if (!started) {
            started = true;
            if (view.startGapMs() >= longestStopMs) {
                pause("stopped_longer_than_retention", view.startGapMs(), monotonicMs);
            }
        } else if (anchorStoreMs != 0 && view.lastStoreMs() - at(monotonicMs) > JUMP_TOLERANCE_MS) {
            pause("clock_jumped", view.lastStoreMs() - at(monotonicMs), monotonicMs);
        }
        if (view.lastStoreMs() != anchorStoreMs) {
            anchorStoreMs = view.lastStoreMs();
            anchorMs = monotonicMs;
        }
    }

    private void pause(String reason, long jumpMs, long monotonicMs) {
        pausedUntilMs = monotonicMs + PAUSE_MS;
        LOG.warn(
                "event=retention_by_age_paused reason={} jumpMs={} pauseMs={} hint=\"check the clock; deletion can be"
                        + " forced\"",
                reason,
                jumpMs,
                PAUSE_MS);
    }

    boolean paused(long monotonicMs) {
        return monotonicMs < pausedUntilMs;
    }

    /** Log time now. */
    long at(long monotonicMs) {
        return anchorStoreMs + (monotonicMs - anchorMs);
    }
}
