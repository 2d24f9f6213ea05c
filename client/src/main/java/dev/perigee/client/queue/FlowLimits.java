package dev.perigee.client.queue;

import dev.perigee.loop.Immutable;

/**
 * How much of one queue a consumer holds before it stops pulling. Looked at before a pull, so a queue may hold one pull
 * more than this.
 *
 * @param maxCount unfinished messages
 * @param maxBytes bytes of them
 * @param maxSpan offsets between the oldest and the newest
 */
@Immutable
public record FlowLimits(int maxCount, long maxBytes, long maxSpan) {
    /** 1,000 messages, 100 MiB, 2,000 offsets. */
    public static final FlowLimits DEFAULT = new FlowLimits(1_000, 100L << 20, 2_000);

    public FlowLimits {
        if (maxCount <= 0 || maxBytes <= 0 || maxSpan <= 0) {
            throw new IllegalArgumentException(
                    "maxCount=" + maxCount + " maxBytes=" + maxBytes + " maxSpan=" + maxSpan + ", all must be above 0");
        }
    }

    /** Which limit a queue is over. */
    FlowGate.Hold check(ProcessQueue queue) {
        if (queue.count() > maxCount) {
            return FlowGate.Hold.COUNT;
        }
        if (queue.bytes() > maxBytes) {
            return FlowGate.Hold.BYTES;
        }
        return queue.span() > maxSpan ? FlowGate.Hold.SPAN : FlowGate.Hold.NONE;
    }
}
