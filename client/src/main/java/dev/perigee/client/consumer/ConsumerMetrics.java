package dev.perigee.client.consumer;

import dev.perigee.client.member.QueueMetrics;
import dev.perigee.client.member.QueueTable;
import dev.perigee.loop.Immutable;
import dev.perigee.loop.InOrder;
import dev.perigee.protocol.message.MessageQueue;
import java.util.Map;

/**
 * What a push consumer did so far, and how its queues stand. Counters only grow; the numbers are read one after the other,
 * not at one instant.
 *
 * @param received messages pulled and handed on
 * @param consumed messages a listener finished
 * @param failed messages a listener did not finish, each time counted
 * @param sentBack failed messages the broker took back
 * @param deadLettered of these, messages this consumer set aside; the broker sets others aside by itself
 * @param timedOut of these, messages whose listener call took too long
 * @param listenerMs time spent in the listener, summed
 * @param runningCalls listener calls under way right now
 * @param queues queues owned right now
 * @param cachedMessages messages pulled and not finished right now
 * @param cachedBytes bytes of these
 * @param byQueue the queues one by one, at most {@link QueueTable#MAX_QUEUES}
 * @param more all other queues together
 */
@Immutable
public record ConsumerMetrics(
        long received,
        long consumed,
        long failed,
        long sentBack,
        long deadLettered,
        long timedOut,
        long listenerMs,
        int runningCalls,
        int queues,
        long cachedMessages,
        long cachedBytes,
        Map<MessageQueue, QueueMetrics> byQueue,
        QueueMetrics more) {
    public ConsumerMetrics {
        byQueue = InOrder.copyOf(byQueue);
    }
}
