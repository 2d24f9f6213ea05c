package dev.perigee.replica;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;

/**
 * Whether a line about why something was refused is written: a replica comes again every second, and its reason stays the same
 * until somebody does something about it.
 */
@ThreadSafe
public final class ReasonLog {
    /** The same reason is written again after this time. */
    static final long REPEAT_MS = 60_000;

    private record Written(String reason, long atMs) {}

    private final Clock clock;
    private volatile Written last = new Written("", 0);

    public ReasonLog(Clock clock) {
        this.clock = clock;
    }

    /** Whether the reason is another one than the last, or that was written a minute ago; it counts as written then. */
    public boolean isNews(String reason) {
        long nowMs = clock.monotonicMs();
        Written before = last;
        if (before.reason().equals(reason) && nowMs - before.atMs() < REPEAT_MS) {
            return false;
        }
        last = new Written(reason, nowMs);
        return true;
    }
}
