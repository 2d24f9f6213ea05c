package dev.perigee.protocol.message;

import java.util.Comparator;

/**
 * One queue of a topic on one broker. Ordered by topic, broker name and queue id, which is the order rebalancing uses.
 *
 * @param topic the topic
 * @param brokerName the broker
 * @param queueId the queue on that broker, from 0
 */
public record MessageQueue(String topic, String brokerName, int queueId) implements Comparable<MessageQueue> {
    private static final Comparator<MessageQueue> ORDER = Comparator.comparing(MessageQueue::topic)
            .thenComparing(MessageQueue::brokerName)
            .thenComparingInt(MessageQueue::queueId);

    @Override
    public int compareTo(MessageQueue other) {
        return ORDER.compare(this, other);
    }
}
