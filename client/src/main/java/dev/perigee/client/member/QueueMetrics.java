package dev.perigee.client.member;

import dev.perigee.client.queue.FlowGate;
import dev.perigee.client.queue.ProcessQueue;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.loop.Immutable;

/**
 * How one queue stands, or several together.
 *
 * @param cachedMessages messages pulled and not finished
 * @param cachedBytes bytes of these
 * @param span offsets from the oldest to the newest of these; of several queues the largest
 * @param held how often pulling was held back, and why, since the queue was taken
 * @param commitOffset the offset up to which everything is finished; of several queues the sum
 * @param lockedForMs how long ago its lock was got or renewed; 0 without one; of several queues the longest
 */
@Immutable
public record QueueMetrics(
        long cachedMessages,
        long cachedBytes,
        long span,
        FlowGate.FlowCounts held,
        long commitOffset,
        long lockedForMs) {
    /** No queue. */
    public static final QueueMetrics NONE = new QueueMetrics(0, 0, 0, FlowGate.FlowCounts.NONE, 0, 0);

    /** How this queue stands. On the client loop. */
    static QueueMetrics of(QueuePuller puller, FlowGate gate, long lockedForMs) {
        ProcessQueue cache = puller.cache();
        return new QueueMetrics(
                cache.count(),
                cache.bytes(),
                cache.span(),
                gate.counts(puller.queue()),
                cache.commitOffset(),
                lockedForMs);
    }

    /** Both together. */
    QueueMetrics plus(QueueMetrics other) {
        FlowGate.FlowCounts more = other.held;
        return new QueueMetrics(
                cachedMessages + other.cachedMessages,
                cachedBytes + other.cachedBytes,
                Math.max(span, other.span),
                new FlowGate.FlowCounts(
                        held.byCount() + more.byCount(),
                        held.byBytes() + more.byBytes(),
                        held.bySpan() + more.bySpan(),
                        held.byTopic() + more.byTopic()),
                commitOffset + other.commitOffset,
                Math.max(lockedForMs, other.lockedForMs));
    }
}
