package dev.perigee.client.pull;

import dev.perigee.client.member.QueueMetrics;
import dev.perigee.client.member.QueueTable;
import dev.perigee.loop.Immutable;
import dev.perigee.loop.InOrder;
import dev.perigee.protocol.message.MessageQueue;
import java.util.Map;

/**
 * How a pull consumer and its queues stand. Messages count as cached until they are consumed: those read ahead, and those of
 * the poll whose messages are out.
 *
 * @param queues queues read right now
 * @param cachedMessages messages read and not consumed
 * @param cachedBytes bytes of these
 * @param byQueue the queues one by one, at most {@link QueueTable#MAX_QUEUES}
 * @param more all other queues together
 */
@Immutable
public record PullMetrics(
        int queues, long cachedMessages, long cachedBytes, Map<MessageQueue, QueueMetrics> byQueue, QueueMetrics more) {
    public PullMetrics {
        byQueue = InOrder.copyOf(byQueue);
    }
}
