package dev.perigee.client.queue;

import dev.perigee.loop.Immutable;

/**
 * How a consumer pulls.
 *
 * @param kind what the broker is told about this consumer
 * @param maxMessages messages asked for in one pull
 * @param maxBytes bytes asked for in one pull
 * @param suspendMs how long the broker may hold a pull that finds nothing
 * @param timeoutMs how long we wait for the answer; longer than {@code suspendMs}
 */
@Immutable
public record PullStyle(Kind kind, int maxMessages, int maxBytes, long suspendMs, long timeoutMs) {
    /** What the broker is told. */
    public enum Kind {
        /** Commits ride on pulls, the subscription is the one of the heartbeat. */
        PUSH_CLUSTERING,
        /** Positions are kept by the client, the subscription is the one of the heartbeat. */
        PUSH_BROADCASTING,
        /** The subscription rides on every pull; offsets are committed apart. */
        LITE_PULL
    }

    /** The broker holds a push consumer's pull this long. */
    public static final long PUSH_SUSPEND_MS = 15_000;
    /** The broker holds a pull consumer's pull this long. */
    public static final long LITE_SUSPEND_MS = 20_000;
    /** How long an answer is waited for, holding included. */
    public static final long PULL_TIMEOUT_MS = 30_000;
    /** Bytes asked for in one pull unless set otherwise. */
    public static final int DEFAULT_MAX_BYTES = 256 << 10;

    public PullStyle {
        if (maxMessages <= 0 || maxBytes <= 0 || suspendMs < 0 || timeoutMs <= suspendMs) {
            throw new IllegalArgumentException("maxMessages=" + maxMessages + " maxBytes=" + maxBytes + " suspendMs="
                    + suspendMs + " timeoutMs=" + timeoutMs
                    + ", the first two must be above 0, the timeout above the suspension");
        }
    }
}
