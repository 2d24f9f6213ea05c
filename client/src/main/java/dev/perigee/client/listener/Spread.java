package dev.perigee.client.listener;

import dev.perigee.loop.ThreadSafe;

/**
 * Says how many threads waiting messages are worth. Calls that take long want a thread each; for calls that are over before
 * a thread could be woken one thread takes them all.
 *
 * <p>What a call takes is estimated near the median: calls that a busy machine held up, or that are slow now and then, do
 * not count. Such a call keeps one thread, and whoever watches the calls brings others for what waits behind it.
 */
@ThreadSafe
public final class Spread {
    /** What one thread is left to do alone, nanoseconds: some ten times what waking another one costs. */
    static final long SHARE_NS = 500_000;
    /** Calls one thread is left to make alone, however short they are. */
    static final int MAX_SHARE = 1_024;

    private static final long UNKNOWN = -1;
    /** The estimate moves by this part of itself with each call. */
    private static final int STEP = 8;

    /** Threads write over each other's estimates; any of them will do. */
    private volatile long typicalNs = UNKNOWN;

    /**
     * How many threads there should be, at most {@code max}.
     *
     * @param running threads there are; when calls are long, or none has ended yet, they are all taken to be in one
     */
    public int threads(long waitingCalls, int running, int max) {
        long typical = typicalNs;
        long share = typical == UNKNOWN ? 1 : Math.max(1, Math.min(MAX_SHARE, SHARE_NS / Math.max(1, typical)));
        long busy = share == 1 ? running : 0;
        return (int) Math.min(max, busy + (waitingCalls + share - 1) / share);
    }

    /** A call took so long. */
    public void took(long callNs) {
        long before = typicalNs;
        if (before == UNKNOWN) {
            typicalNs = callNs;
        } else {
            long step = before / STEP + 1;
            typicalNs = callNs > before ? before + step : Math.max(1, before - step);
        }
    }
}
