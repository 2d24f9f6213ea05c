package dev.perigee.remoting;

import dev.perigee.loop.Immutable;

/**
 * What one connection may take.
 *
 * @param frameLimitBytes largest value of a frame's length field; a larger one closes the connection
 * @param idleMs the connection is closed when nothing moved on it for so long
 * @param maxPendingCalls calls waiting for an answer; a further one fails with {@code TooManyCalls}
 * @param highWaterBytes queued outgoing bytes above which nothing is read from the peer any more
 * @param lowWaterBytes queued outgoing bytes at which reading goes on
 * @param outboundLimitBytes queued outgoing bytes above which own calls and one-ways are refused (answers never are: they
 *     are bounded by the requests read)
 */
@Immutable
public record ConnectionLimits(
        int frameLimitBytes,
        long idleMs,
        int maxPendingCalls,
        int highWaterBytes,
        int lowWaterBytes,
        long outboundLimitBytes) {
    /** 16 MiB frames, 120 s idle, 65,535 calls, water marks at 1 and 4 MiB, 64 MiB outbound. */
    public static final ConnectionLimits DEFAULT =
            new ConnectionLimits(16 << 20, 120_000, 65_535, 4 << 20, 1 << 20, 64L << 20);

    public ConnectionLimits {
        if (frameLimitBytes < 64 || idleMs < 1 || maxPendingCalls < 1 || outboundLimitBytes < 1) {
            throw new IllegalArgumentException("limits frameLimitBytes=" + frameLimitBytes + " idleMs=" + idleMs
                    + " maxPendingCalls=" + maxPendingCalls + " outboundLimitBytes=" + outboundLimitBytes);
        }
    }

    /**
     * The same with this largest frame.
     *
     * @throws IllegalArgumentException when it is below 64
     */
    public ConnectionLimits withFrameLimitBytes(int frameLimitBytes) {
        return new ConnectionLimits(
                frameLimitBytes, idleMs, maxPendingCalls, highWaterBytes, lowWaterBytes, outboundLimitBytes);
    }

    /**
     * The same with this time after which an idle connection is closed.
     *
     * @throws IllegalArgumentException when it is below 1
     */
    public ConnectionLimits withIdleMs(long idleMs) {
        return new ConnectionLimits(
                frameLimitBytes, idleMs, maxPendingCalls, highWaterBytes, lowWaterBytes, outboundLimitBytes);
    }

    /**
     * The same with this many calls that may wait for an answer.
     *
     * @throws IllegalArgumentException when it is below 1
     */
    public ConnectionLimits withMaxPendingCalls(int maxPendingCalls) {
        return new ConnectionLimits(
                frameLimitBytes, idleMs, maxPendingCalls, highWaterBytes, lowWaterBytes, outboundLimitBytes);
    }

    /** The same with these water marks of queued outgoing bytes; ports and connections want 0 &lt; low &lt; high. */
    public ConnectionLimits withWaterMarks(int lowWaterBytes, int highWaterBytes) {
        return new ConnectionLimits(
                frameLimitBytes, idleMs, maxPendingCalls, highWaterBytes, lowWaterBytes, outboundLimitBytes);
    }

    /**
     * The same with this many queued outgoing bytes above which own calls are refused.
     *
     * @throws IllegalArgumentException when it is below 1
     */
    public ConnectionLimits withOutboundLimitBytes(long outboundLimitBytes) {
        return new ConnectionLimits(
                frameLimitBytes, idleMs, maxPendingCalls, highWaterBytes, lowWaterBytes, outboundLimitBytes);
    }
}
