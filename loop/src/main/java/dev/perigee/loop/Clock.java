package dev.perigee.loop;

/**
 * The two times a node knows. Everything that needs a time gets a clock through its constructor, so that simulation and
 * tests decide what time it is.
 *
 * <p>Thread-safe. Neither method blocks.
 */
public interface Clock {
    /** Milliseconds since 1970 UTC. May jump forward or back; used for what users see, never for measuring time. */
    long wallMs();

    /** Nanoseconds since an arbitrary origin. Never falls; used for deadlines and durations. */
    long monotonicNs();

    /** {@link #monotonicNs()} in whole milliseconds. */
    default long monotonicMs() {
        return monotonicNs() / 1_000_000L;
    }

    /** The clock of this machine. */
    static Clock system() {
        return SystemClock.INSTANCE;
    }
}
