package dev.perigee.client.queue;

import dev.perigee.loop.Immutable;

/**
 * How much of one topic a consumer holds, shared evenly among the queues it reads of it. A queue's share is never below one
 * message, one byte and a span of one offset, so that no queue stands still for ever.
 *
 * @param maxCount unfinished messages; −1 for no limit
 * @param maxBytes bytes of them; −1 for no limit
 * @param maxSpan offsets from the oldest to the newest of them in each queue, all queues together; −1 for no limit. Orderly
 *     consumers, which finish a queue from its oldest message on, have none
 */
@Immutable
public record TopicLimits(int maxCount, long maxBytes, long maxSpan) {
    /** No limit besides those of the queues. */
    public static final TopicLimits OFF = new TopicLimits(-1, -1);

    public TopicLimits {
        if (maxCount == 0 || maxCount < -1 || maxBytes == 0 || maxBytes < -1 || maxSpan == 0 || maxSpan < -1) {
            throw new IllegalArgumentException("maxCount=" + maxCount + " maxBytes=" + maxBytes + " maxSpan=" + maxSpan
                    + ", each must be above 0, or -1 for no limit");
        }
    }

    /** Limits of messages and bytes alone. */
    public TopicLimits(int maxCount, long maxBytes) {
        this(maxCount, maxBytes, -1);
    }

    /** The same without a limit of the span. */
    public TopicLimits withoutSpan() {
        return new TopicLimits(maxCount, maxBytes);
    }

    /** Whether a queue with this cache has more than its share when so many queues of the topic are read. */
    boolean isExceeded(ProcessQueue cache, int queues) {
        int sharers = Math.max(1, queues);
        return (maxCount > 0 && cache.count() > Math.max(1, maxCount / sharers))
                || (maxBytes > 0 && cache.bytes() > Math.max(1, maxBytes / sharers))
                || (maxSpan > 0 && cache.span() > Math.max(1, maxSpan / sharers));
    }
}
