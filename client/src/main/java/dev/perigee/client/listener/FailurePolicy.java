package dev.perigee.client.listener;

import dev.perigee.loop.Immutable;

/**
 * What becomes of messages a listener does not finish.
 *
 * @param maxReconsumeTimes retries of a message before it is set aside; −1 for the group's limit
 * @param retryDelayLevel when a concurrent listener's message comes again: 1 to 18 for that delay, 0 for longer and longer
 *     ones, −1 to set it aside at once
 * @param suspendMs how long an orderly queue is held back; taken into {@link #MIN_SUSPEND_MS} to {@link #MAX_SUSPEND_MS}
 * @param consumeTimeoutMs how long a concurrent listener may take before its messages go back to the broker
 */
@Immutable
public record FailurePolicy(int maxReconsumeTimes, int retryDelayLevel, long suspendMs, long consumeTimeoutMs) {
    /** The group's limit, longer and longer delays, one second, 15 minutes. */
    public static final FailurePolicy DEFAULT = new FailurePolicy(-1, 0, 1_000, 900_000);

    /** The shortest and the longest time an orderly queue is held back. */
    public static final long MIN_SUSPEND_MS = 10;

    /** See {@link #MIN_SUSPEND_MS}. */
    public static final long MAX_SUSPEND_MS = 30_000;

    /** The level that sets a message aside at once. */
    public static final int ASIDE = -1;

    /** The last delay level a broker can have; one that has fewer takes those above its last as its last. */
    public static final int MAX_DELAY_LEVEL = 64;

    /** The shortest consume timeout. */
    public static final long MIN_CONSUME_TIMEOUT_MS = 1_000;

    public FailurePolicy {
        if (maxReconsumeTimes < -1) {
            throw new IllegalArgumentException("maxReconsumeTimes=" + maxReconsumeTimes + ", must be -1 or more");
        }
        requireDelayLevel(retryDelayLevel);
        if (consumeTimeoutMs < MIN_CONSUME_TIMEOUT_MS) {
            throw new IllegalArgumentException(
                    "consumeTimeoutMs=" + consumeTimeoutMs + ", must be " + MIN_CONSUME_TIMEOUT_MS + " or more");
        }
        suspendMs = clampSuspendMs(suspendMs);
    }

    static int requireDelayLevel(int level) {
        if (level < ASIDE || level > MAX_DELAY_LEVEL) {
            throw new IllegalArgumentException(
                    "retryDelayLevel=" + level + ", must be " + ASIDE + " to " + MAX_DELAY_LEVEL);
        }
        return level;
    }

    static long clampSuspendMs(long ms) {
        return Math.max(MIN_SUSPEND_MS, Math.min(MAX_SUSPEND_MS, ms));
    }
}
