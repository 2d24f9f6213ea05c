package dev.perigee.client.member;

import dev.perigee.client.queue.FlowGate;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.loop.Immutable;
import dev.perigee.loop.InOrder;
import dev.perigee.protocol.message.MessageQueue;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * How the queues of a consumer stand.
 *
 * @param all all of them together
 * @param byQueue one by one, at most {@link #MAX_QUEUES}
 * @param more all others together
 */
@Immutable
public record QueueTable(QueueMetrics all, Map<MessageQueue, QueueMetrics> byQueue, QueueMetrics more) {
    /** Queues told one by one. */
    public static final int MAX_QUEUES = 10_000;

    /**
     * Looks at these queues. On the client loop.
     *
     * @param lockedForMs how long ago the lock of a queue was got or renewed; 0 without one
     */
    public static QueueTable of(
            Collection<QueuePuller> pullers, FlowGate gate, ToLongFunction<MessageQueue> lockedForMs) {
        Map<MessageQueue, QueueMetrics> queues = new HashMap<>();
        QueueMetrics all = QueueMetrics.NONE;
        QueueMetrics more = QueueMetrics.NONE;
        for (QueuePuller puller : pullers) {
            QueueMetrics one = QueueMetrics.of(puller, gate, lockedForMs.applyAsLong(puller.queue()));
            all = all.plus(one);
            if (queues.size() < MAX_QUEUES) {
                queues.put(puller.queue(), one);
            } else {
                more = more.plus(one);
            }
        }
        return new QueueTable(all, InOrder.copyOf(queues), more);
    }
}
