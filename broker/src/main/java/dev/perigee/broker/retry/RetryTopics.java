package dev.perigee.broker.retry;

import dev.perigee.protocol.topic.Permission;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicName;

/** The topics of a group for what failed, as they are made on demand (broker-client §5.1), and its limit of retries. */
public final class RetryTopics {
    /** The retries of a group that does not say. */
    public static final int DEFAULT_RETRIES = 16;

    static final int READ_WRITE = Permission.READ | Permission.WRITE;

    private RetryTopics() {}

    /** The dead letters of a group. */
    public static TopicConfig deadLetters(String group) {
        return TopicConfig.of(TopicName.DLQ_PREFIX + group, 1, READ_WRITE);
    }

    /** A limit of retries, where a negative one stands for {@link #DEFAULT_RETRIES}. */
    static int limit(int maxRetries) {
        return maxRetries < 0 ? DEFAULT_RETRIES : maxRetries;
    }
}
