package dev.perigee.client.pull;

import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.queue.FlowLimits;
import dev.perigee.client.queue.TopicLimits;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.allocate.AllocateMessageQueueStrategy;

/**
 * The settings of a pull consumer.
 *
 * @param group the consumer group
 * @param from where a group without a position starts
 * @param strategy how subscribed queues are shared
 * @param pullBatchSize messages asked for in one pull, and most messages of one poll
 * @param limits flow control of each queue
 * @param topicLimits flow control of each topic
 * @param autoCommitMs time between two commits; 0 for commits by the user only
 */
@Immutable
public record PullConfig(
        String group,
        ConsumeFrom from,
        AllocateMessageQueueStrategy strategy,
        int pullBatchSize,
        FlowLimits limits,
        TopicLimits topicLimits,
        long autoCommitMs) {
    /** Time between two commits unless set otherwise. */
    public static final long DEFAULT_AUTO_COMMIT_MS = 5_000;

    public PullConfig {
        if (pullBatchSize <= 0 || autoCommitMs < 0) {
            throw new IllegalArgumentException("pullBatchSize=" + pullBatchSize + " autoCommitMs=" + autoCommitMs
                    + ", the first must be above 0, the second not below");
        }
    }
}
