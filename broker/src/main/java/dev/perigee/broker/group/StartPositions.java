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
 * Where new push consumers start: pinned once per group and topic, as of the arrival of the first heartbeat that subscribes
 * to it. Queues that come later start at 0, so nothing that is sent after the heartbeat is passed over. Only topics that
 * exist are pinned, and the group's own retry topic; see {@link LatePins} for topics that come later.
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
                if (lacksPin(consumer.groupName(), subscription.topic())) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Everything to be pinned; with {@link OffsetView#PIN} as a queue for the pin itself.
     *
     * @param arrivedEnd the confirmed end of the log when the consumer was heard of
     */
    List<QueueCommit> pins(ConsumerData consumer, long arrivedEnd) {
        List<QueueCommit> pins = new ArrayList<>();
        if (isPinned(consumer)) {
            for (SubscriptionData subscription : consumer.subscriptionDataSet()) {
                if (lacksPin(consumer.groupName(), subscription.topic())) {
                    addPins(consumer, subscription.topic(), arrivedEnd, pins);
                }
            }
        }
        return pins;
    }

    private boolean lacksPin(String group, String topic) {
        boolean mayBePinned = topics.current().find(topic) != null || topic.equals(TopicName.retry(group));
        return mayBePinned && !offsets.isPinned(group, topic);
    }

    private void addPins(ConsumerData consumer, String topic, long arrivedEnd, List<QueueCommit> pins) {
        String group = consumer.groupName();
        pins.add(new QueueCommit(group, topic, OffsetView.PIN, 0));
        TopicConfig config = topics.current().find(topic);
        int count = config == null ? 0 : config.readQueueNums();
        boolean atEnd = !isFirst(consumer.consumeFromWhere()) && !topic.startsWith(TopicName.RETRY_PREFIX);
        for (int queueId = 0; queueId < count; queueId++) {
            ConsumeQueue queue = queues.find(topic, queueId);
            long offset = queue == null ? 0 : atEnd ? endAt(queue, arrivedEnd) : queue.minOffset();
            pins.add(new QueueCommit(group, topic, queueId, offset));
        }
    }

    /** Where the queue ended when the log's confirmed end was there: entries at or behind it came later. */
    private static long endAt(ConsumeQueue queue, long logEnd) {
        long low = queue.minOffset();
        long high = queue.maxOffset();
        if (high > low && isBelow(queue, high - 1, logEnd)) {
            return high; // nothing came since, as nearly always
        }
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (isBelow(queue, middle, logEnd)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static boolean isBelow(ConsumeQueue queue, long queueOffset, long logEnd) {
        boolean[] later = new boolean[1];
        queue.read(queueOffset, 1, (offset, physicalOffset, sizeBytes, tagHash) -> {
            later[0] = physicalOffset >= logEnd;
            return false;
        });
        return !later[0];
    }

    private static boolean isPinned(ConsumerData consumer) {
        return isPinned(consumer.consumeType(), consumer.messageModel(), consumer.consumeFromWhere());
    }

    /** Push consumers in clustering mode that start at an end; all others find their start by themselves. */
    public static boolean isPinned(ConsumeType type, MessageModel model, ConsumeFromWhere where) {
        return type == ConsumeType.CONSUME_PASSIVELY
                && model == MessageModel.CLUSTERING
                && where != ConsumeFromWhere.CONSUME_FROM_TIMESTAMP;
    }

    private static boolean isFirst(ConsumeFromWhere where) {
        return where == ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET || where == ConsumeFromWhere.CONSUME_FROM_MIN_OFFSET;
    }
}
