package dev.perigee.client.pull;

import dev.perigee.client.instance.ClientBuilder;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.queue.FlowLimits;
import dev.perigee.client.queue.TopicLimits;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.allocate.AllocateMessageQueueStrategy;
import dev.perigee.protocol.allocate.AllocateStrategies;
import dev.perigee.protocol.group.GroupName;

/** Collects the settings of a {@link PullConsumer}. A group must be given. */
@OwnedBy("building thread")
public final class PullConsumerBuilder extends ClientBuilder<PullConsumerBuilder> {
    private static final int DEFAULT_PULL_BATCH_SIZE = 32;

    private String group = "";
    private ConsumeFrom from = ConsumeFrom.lastOffset();
    private AllocateMessageQueueStrategy strategy = AllocateStrategies.AVERAGELY;
    private int pullBatchSize = DEFAULT_PULL_BATCH_SIZE;
    private FlowLimits limits = FlowLimits.DEFAULT;
    private TopicLimits topicLimits = TopicLimits.OFF;
    private long autoCommitMs = PullConfig.DEFAULT_AUTO_COMMIT_MS;

    PullConsumerBuilder() {}

    @Override
    protected PullConsumerBuilder self() {
        return this;
    }

    /** The consumer group. */
    public PullConsumerBuilder group(String name) {
        this.group = name;
        return this;
    }

    /** Where a group without a position starts; at the end by default. */
    public PullConsumerBuilder consumeFrom(ConsumeFrom position) {
        this.from = position;
        return this;
    }

    /** How subscribed queues are shared; averagely by default. */
    public PullConsumerBuilder strategy(AllocateMessageQueueStrategy allocation) {
        this.strategy = allocation;
        return this;
    }

    /** Messages asked for in one pull, and most messages of one poll; 32 by default. */
    public PullConsumerBuilder pullBatchSize(int messages) {
        this.pullBatchSize = messages;
        return this;
    }

    /** Flow control of each queue; 1,000 messages, 100 MiB and a span of 2,000 offsets by default. */
    public PullConsumerBuilder limits(FlowLimits flowLimits) {
        this.limits = flowLimits;
        return this;
    }

    /** Flow control of each topic, shared among its queues read; off by default. */
    public PullConsumerBuilder topicLimits(TopicLimits flowLimits) {
        this.topicLimits = flowLimits;
        return this;
    }

    /** Milliseconds between two commits; 5,000 by default, 0 for commits by the user only. */
    public PullConsumerBuilder autoCommitMs(long periodMs) {
        this.autoCommitMs = periodMs;
        return this;
    }

    /** @throws IllegalArgumentException when something is missing or out of its range, naming it */
    public PullConsumer build() {
        String problem = GroupName.problem(group);
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
        return new PullConsumer(new PullConsumerWiring(
                settings(uniqueInstanceName()),
                new PullConfig(group, from, strategy, pullBatchSize, limits, topicLimits, autoCommitMs)));
    }
}
