package dev.perigee.remoting.call;

import dev.perigee.loop.Clock;
import dev.perigee.loop.Immutable;

/** The instant at which a call, with all its attempts, has to be over; on the monotonic clock. */
@Immutable
public final class Deadline {
    private final Clock clock;
    private final long startedMs;
    private final long endMs;

    private Deadline(Clock clock, long startedMs, long endMs) {
        this.clock = clock;
        this.startedMs = startedMs;
        this.endMs = endMs;
    }

    /** A deadline that many milliseconds from now; 0 or less has already passed. */
    public static Deadline after(Clock clock, long timeoutMs) {
        long nowMs = clock.monotonicMs();
        return new Deadline(clock, nowMs, nowMs + timeoutMs);
    }

    /** Milliseconds left, 0 when it has passed. */
    public long remainingMs() {
        return Math.max(0, endMs - clock.monotonicMs());
    }

    /** Whether no time is left. */
    public boolean isExpired() {
        return clock.monotonicMs() - endMs >= 0;
    }

    /** The end, in monotonic milliseconds of the clock it was made with. */
    public long endMs() {
        return endMs;
    }

    /** Milliseconds since the deadline was set. */
    public long elapsedMs() {
        return clock.monotonicMs() - startedMs;
    }

    /** The whole time given, in milliseconds. */
    public long limitMs() {
        return endMs - startedMs;
    }

    /** The earlier of this one and one that many milliseconds from now; for a single attempt among several. */
    public Deadline atMost(long timeoutMs) {
        Deadline attempt = after(clock, timeoutMs);
        return attempt.endMs - endMs < 0 ? attempt : this;
    }

    @Override
    public String toString() {
        return "limitMs=" + limitMs() + " elapsedMs=" + elapsedMs();
    }
}
