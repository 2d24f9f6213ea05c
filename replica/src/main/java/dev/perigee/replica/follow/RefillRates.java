package dev.perigee.replica.follow;

import dev.perigee.loop.ThreadSafe;
import java.util.Optional;

/** How fast a log is filled in this run, and how fast its master's grows meanwhile (R35). One thread tells of it, any thread asks. */
@ThreadSafe
final class RefillRates {
    private record Seen(long ownEnd, long masterEnd, long atMs) {}

    private static final Seen NOTHING = new Seen(0, 0, Long.MIN_VALUE);

    private volatile Seen first = NOTHING;
    private volatile Seen last = NOTHING;

    /** Both logs end there now; monotonic milliseconds. */
    void at(long ownEnd, long masterEnd, long nowMs) {
        last = new Seen(ownEnd, masterEnd, nowMs);
        if (first.equals(NOTHING)) {
            first = last;
        }
    }

    /** Both in words; empty when it was filled for no time that could be measured. */
    Optional<String> inWords() {
        Seen from = first;
        Seen to = last;
        long ms = from.equals(NOTHING) ? 0 : to.atMs() - from.atMs();
        return ms <= 0
                ? Optional.empty()
                : Optional.of("it was filled with " + rate(to.ownEnd() - from.ownEnd(), ms)
                        + " bytes a second, and its master's log grew by "
                        + rate(to.masterEnd() - from.masterEnd(), ms) + ", over " + ms + " ms");
    }

    private static long rate(long bytes, long ms) {
        return Math.max(0, bytes) * 1_000 / ms;
    }
}
