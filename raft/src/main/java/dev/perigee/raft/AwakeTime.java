package dev.perigee.raft;

import dev.perigee.loop.OwnedBy;

/**
 * The time in which this node was not held up itself: a loop that stood still, in a write or because its process was stopped, has
 * missed no heartbeat (R29). Between two looks at the clock no more than a step counts.
 */
@OwnedBy("log loop")
final class AwakeTime {
    private final long maxStepMs;
    private boolean begun;
    private long nowMs;
    private long awakeMs;

    AwakeTime(long maxStepMs) {
        this.maxStepMs = maxStepMs;
    }

    /**
     * Looks at the clock.
     *
     * @return whether this was the first time
     */
    boolean advance(long newNowMs) {
        boolean first = !begun;
        if (first) {
            begun = true;
            nowMs = newNowMs;
        }
        awakeMs += Math.max(0, Math.min(newNowMs - nowMs, maxStepMs));
        nowMs = newNowMs;
        return first;
    }

    /** By the clock. */
    long nowMs() {
        return nowMs;
    }

    /** Awake. */
    long awakeMs() {
        return awakeMs;
    }
}
