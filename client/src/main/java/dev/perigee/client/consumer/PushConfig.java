package dev.perigee.client.consumer;

import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.queue.FlowLimits;
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
 * @param maxReconsumeTimes retries of a failed message before it is set aside; −1 for the default of the listener kind
 * @param suspendMs how long an orderly queue is held back after a failure
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
        int maxReconsumeTimes,
        long suspendMs,
        Path offsetFolder,
        long closeTimeoutMs) {
    /** Retries of a concurrent listener's message unless set otherwise. */
    public static final int DEFAULT_MAX_RECONSUME_TIMES = 16;
    /** The shortest and the longest time an orderly queue is held back. */
    public static final long MIN_SUSPEND_MS = 10;

    /** See {@link #MIN_SUSPEND_MS}. */
    public static final long MAX_SUSPEND_MS = 30_000;

    public PushConfig {
        requirePositive("threads", threads);
        requirePositive("batchSize", batchSize);
        requirePositive("pullBatchSize", pullBatchSize);
        requirePositive("closeTimeoutMs", closeTimeoutMs);
        if (maxReconsumeTimes < -1) {
            throw new IllegalArgumentException("maxReconsumeTimes=" + maxReconsumeTimes + ", must be -1 or more");
        }
        suspendMs = Math.max(MIN_SUSPEND_MS, Math.min(MAX_SUSPEND_MS, suspendMs));
    }

    private static void requirePositive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + "=" + value + ", must be above 0");
        }
    }
}
