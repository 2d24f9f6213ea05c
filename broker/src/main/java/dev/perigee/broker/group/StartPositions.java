package dev.perigee.broker.group;

import dev.perigee.broker.view.OffsetView;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicName;
import dev.perigee.store.queue.ConsumeQueue;
import dev.perigee.store.queue.ConsumeQueueView;
import java.util.ArrayList;
import java.util.List;

/**
 * Where new push consumers start: pinned once per group and topic, at the first heartbeat that subscribes to it. Queues
 * that come later start at 0, so nothing that is sent after the pin is passed over.
 */
@ThreadSafe
public final class StartPositions {
    private final OffsetView offsets;
    private final TopicView topics;
    private final ConsumeQueueView queues;

    public StartPositions(OffsetView offsets, TopicView topics, ConsumeQueueView queues) {
        this.offsets = offsets;
        this.topics = topics;
        this.queues = queues;
    }

    /** Whether the consumer subscribes to a topic whose start is not pinned yet and should be. */
    boolean needsPins(ConsumerData consumer) {
        if (isPinned(consumer)) {
            for (SubscriptionData subscription : consumer.subscriptionDataSet()) {
                if (!offsets.isPinned(consumer.groupName(), subscription.topic())) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Everything to be pinned; with {@link OffsetView#PIN} as a queue for the pin itself. */
    List<QueueCommit> pins(ConsumerData consumer) {
        List<QueueCommit> pins = new ArrayList<>();
        if (isPinned(consumer)) {
            for (SubscriptionData subscription : consumer.subscriptionDataSet()) {
                if (!offsets.isPinned(consumer.groupName(), subscription.topic())) {
                    addPins(consumer, subscription.topic(), pins);
                }
            }
        }
        return pins;
    }

    private void addPins(ConsumerData consumer, String topic, List<QueueCommit> pins) {
        String group = consumer.groupName();
        pins.add(new QueueCommit(group, topic, OffsetView.PIN, 0));
        TopicConfig config = topics.current().find(topic);
        int count = config == null ? 0 : config.readQueueNums();
        boolean atEnd = !isFirst(consumer.consumeFromWhere()) && !topic.startsWith(TopicName.RETRY_PREFIX);
        for (int queueId = 0; queueId < count; queueId++) {
            ConsumeQueue queue = queues.find(topic, queueId);
            long offset = queue == null ? 0 : atEnd ? queue.maxOffset() : queue.minOffset();
            pins.add(new QueueCommit(group, topic, queueId, offset));
        }
    }

    /** Push consumers in clustering mode that start at an end; all others find their start by themselves. */
    private static boolean isPinned(ConsumerData consumer) {
        return consumer.consumeType() == ConsumeType.CONSUME_PASSIVELY
                && consumer.messageModel() == MessageModel.CLUSTERING
                && consumer.consumeFromWhere() != ConsumeFromWhere.CONSUME_FROM_TIMESTAMP;
    }

    private static boolean isFirst(ConsumeFromWhere where) {
        return where == ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET || where == ConsumeFromWhere.CONSUME_FROM_MIN_OFFSET;
    }
}
