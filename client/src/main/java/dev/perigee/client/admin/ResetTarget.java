package dev.perigee.client.admin;

import dev.perigee.loop.Immutable;

/**
 * Where a group is to go on in each queue of a topic.
 *
 * @param timestampMs store time of the first message to consume, milliseconds since 1970; 0 for all there are, {@link #END}
 *     for none there is
 * @param queueId the one queue meant, {@link #ALL_QUEUES} for all
 * @param offset the position in that one queue; only with one
 */
@Immutable
public record ResetTarget(long timestampMs, int queueId, long offset) {
    /** The end of a queue, as a time. */
    public static final long END = -1;
    /** Every queue. */
    public static final int ALL_QUEUES = -1;

    private static final long NO_OFFSET = -1;

    /** The first message of every queue. */
    public static ResetTarget begin() {
        return new ResetTarget(0, ALL_QUEUES, NO_OFFSET);
    }

    /** Behind the last message of every queue. */
    public static ResetTarget end() {
        return new ResetTarget(END, ALL_QUEUES, NO_OFFSET);
    }

    /** The first message of every queue that was stored then or later. */
    public static ResetTarget time(long timestampMs) {
        if (timestampMs < 0) {
            throw new IllegalArgumentException("timestampMs=" + timestampMs + ", must be 0 or above");
        }
        return new ResetTarget(timestampMs, ALL_QUEUES, NO_OFFSET);
    }

    /** One offset of one queue. */
    public static ResetTarget offset(int queueId, long offset) {
        if (queueId < 0 || offset < 0) {
            throw new IllegalArgumentException("queueId=" + queueId + " offset=" + offset + ", must be 0 or above");
        }
        return new ResetTarget(0, queueId, offset);
    }

    boolean isOffset() {
        return queueId != ALL_QUEUES;
    }
}
