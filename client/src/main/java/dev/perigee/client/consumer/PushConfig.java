package dev.perigee.client.consumer;

import dev.perigee.client.listener.FailurePolicy;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.queue.FlowLimits;
import dev.perigee.client.queue.TopicLimits;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.allocate.AllocateMessageQueueStrategy;
import dev.perigee.protocol.group.MessageModel;
import java.nio.file.Path;

/**
 * The settings of a push consumer.
 *
 * @param group the consumer group
 * @param model whether members share the queues or each consumes everything
 * @param from where a new group starts
 * @param strategy how queues are shared
 * @param threads listener threads
 * @param batchSize most messages of one listener call
 * @param pullBatchSize messages asked for in one pull
 * @param limits flow control of each queue
 * @param topicLimits flow control of each topic
 * @param failure what becomes of failed messages
 * @param offsetFolder where broadcasting positions are kept
 * @param closeTimeoutMs how long closing waits for listener calls under way
 */
@Immutable
public record PushConfig(
        String group,
        MessageModel model,
        ConsumeFrom from,
        AllocateMessageQueueStrategy strategy,
        int threads,
        int batchSize,
        int pullBatchSize,
        FlowLimits limits,
        TopicLimits topicLimits,
        FailurePolicy failure,
        Path offsetFolder,
        long closeTimeoutMs) {
    public PushConfig {
        requirePositive("threads", threads);
        requirePositive("batchSize", batchSize);
        requirePositive("pullBatchSize", pullBatchSize);
        requirePositive("closeTimeoutMs", closeTimeoutMs);
    }

    private static void requirePositive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + "=" + value + ", must be above 0");
        }
    }
}
