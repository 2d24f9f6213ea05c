package dev.perigee.sim.ledger;

import dev.perigee.protocol.topic.TopicName;

/**
 * A consumer group of a run.
 *
 * @param maxRetries retries of a message before it is set aside
 * @param consumeTimeoutMs how long a call may take before its messages go back; concurrent groups only
 * @param batchSize most messages of a call
 */
public record Group(String name, Kind kind, int maxRetries, long consumeTimeoutMs, int batchSize) {
    /** How the members of a group consume. */
    public enum Kind {
        /** They share the queues, each takes its messages in no order. */
        CONCURRENT,
        /** They share the queues, each takes its queues in order. */
        ORDERLY,
        /** Each gets everything. */
        BROADCASTING
    }

    /** Whether members share the queues. */
    public boolean isClustering() {
        return kind != Kind.BROADCASTING;
    }

    /** Whether queues are locked. */
    public boolean isOrderly() {
        return kind == Kind.ORDERLY;
    }

    /** Where its failed messages wait. */
    public String retryTopic() {
        return TopicName.retry(name);
    }

    /** Where its messages are set aside. */
    public String deadLetterTopic() {
        return TopicName.dlq(name);
    }

    @Override
    public String toString() {
        return name;
    }
}
