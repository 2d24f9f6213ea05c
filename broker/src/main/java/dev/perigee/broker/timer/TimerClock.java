package dev.perigee.broker.timer;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time by which messages wait: the wall clock without its steps. Due times are decided and compared in it, so that a wall
 * clock that is set forward delivers nothing early and one that is set back holds nothing up (R18).
 *
 * <p>It is the wall clock plus a shift, which is 0 until the wall clock goes another way than the monotonic one by more than
 * {@link #TOLERANCE_MS}; then the shift takes that step up. Smaller differences, as of a clock that is being adjusted, are
 * followed. It may fall by less than the tolerance, and by nothing else. The shift in force is written into the marks of waiting
 * messages, and into the log when it changes, by which a restart goes on with it; what the wall clock does while the broker is
 * down cannot be told from time that passes, unless it falls behind what this clock said last, as far as the log knows.
 */
@ThreadSafe
public final class TimerClock {
    /** A step of the wall clock up to this is followed. */
    static final long TOLERANCE_MS = 50;

    /** The two clocks may drift apart by one part in so many without that being a step. */
    private static final long DRIFT = 2_000;

    /** Within so long both clocks must have been read; a thread that was held up in between tells nothing of a step. */
    private static final long MAX_READ_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final int MAX_READS = 4;
    private static final long KEEP_ANCHOR_MS = 1_000;
    private static final Logger LOG = LoggerFactory.getLogger(TimerClock.class);

    /**
     * One look at the clock.
     *
     * @param timerMs the time
     * @param shiftMs by how much it is ahead of the wall clock
     */
    public record Moment(long timerMs, long shiftMs) {
        /** What the wall clock said. */
        public long wallMs() {
            return timerMs - shiftMs;
        }

        /** A time of the wall clock, as it stands now, in the time of this clock. */
        public long ofWall(long wallMs) {
            return wallMs + shiftMs;
        }
    }

    /** A time that both clocks were known to be at, and the shift since. */
    private record Anchor(long timerMs, long monotonicNs, long shiftMs) {}

    /** Both clocks; {@code apart} when they were not read at about the same time. */
    private record Reading(long wallMs, long monotonicNs, boolean apart) {}

    private final Clock clock;
    private final AtomicReference<Anchor> anchor;
    private final long begunShiftMs;

    /**
     * A clock that goes on from an earlier run.
     *
     * @param shiftMs the shift that was in force last, 0 when nothing waits
     * @param toldMs what this clock itself said last, as far as the log knows: a wall clock that fell behind it while the
     *     broker was down holds nothing up for long; {@link Long#MIN_VALUE} when nothing waits. No store time will do, for those
     *     follow the wall clock, and may stay ahead of it for days when it was wrong
     */
    public TimerClock(Clock clock, long shiftMs, long toldMs) {
        this.clock = clock;
        Anchor begun = begin(shiftMs, toldMs);
        this.begunShiftMs = begun.shiftMs();
        this.anchor = new AtomicReference<>(begun);
    }

    /**
     * Goes on from the earlier run once more, of which more is known than when this was made: part of the log is confirmed only after
     * the start. What the wall clock did since this was made counts on top. Before anything is decided by this clock; once.
     *
     * @param shiftMs as when it is made
     * @param toldMs as when it is made
     */
    public void goOnFrom(long shiftMs, long toldMs) {
        long steppedMs = now().shiftMs() - begunShiftMs;
        anchor.set(begin(shiftMs + steppedMs, toldMs));
    }

    private Anchor begin(long shiftMs, long toldMs) {
        Reading read = read();
        long timerMs = Math.max(read.wallMs() + shiftMs, toldMs);
        if (timerMs != read.wallMs()) {
            LOG.warn("event=timer_clock_shifted shiftMs={} reason=restart", timerMs - read.wallMs());
        }
        return new Anchor(timerMs, read.monotonicNs(), timerMs - read.wallMs());
    }

    /** The time now, in milliseconds. */
    public long nowMs() {
        return now().timerMs();
    }

    /** The time now, with the shift in force. */
    public Moment now() {
        while (true) {
            Anchor known = Objects.requireNonNull(anchor.get());
            Reading read = read();
            long passedMs = TimeUnit.NANOSECONDS.toMillis(read.monotonicNs() - known.monotonicNs());
            if (read.apart()) {
                return new Moment(known.timerMs() + passedMs, known.shiftMs());
            }
            Moment told = new Moment(read.wallMs() + known.shiftMs(), known.shiftMs());
            long stepMs = told.timerMs() - known.timerMs() - passedMs;
            if (Math.abs(stepMs) <= TOLERANCE_MS + passedMs / DRIFT) {
                if (passedMs >= KEEP_ANCHOR_MS) {
                    anchor.compareAndSet(known, new Anchor(told.timerMs(), read.monotonicNs(), told.shiftMs()));
                }
                return told;
            }
            stepped(
                    known,
                    new Anchor(known.timerMs() + passedMs, read.monotonicNs(), known.shiftMs() - stepMs),
                    stepMs);
        }
    }

    private Reading read() {
        for (int reads = 1; ; reads++) {
            long monotonicNs = clock.monotonicNs();
            long wallMs = clock.wallMs();
            boolean apart = clock.monotonicNs() - monotonicNs > MAX_READ_NS;
            if (!apart || reads == MAX_READS) {
                return new Reading(wallMs, monotonicNs, apart);
            }
        }
    }

    private void stepped(Anchor known, Anchor next, long stepMs) {
        if (anchor.compareAndSet(known, next)) {
            LOG.warn(
                    "event=timer_clock_shifted shiftMs={} reason=wall_clock_stepped stepMs={}", next.shiftMs(), stepMs);
        }
    }
}
