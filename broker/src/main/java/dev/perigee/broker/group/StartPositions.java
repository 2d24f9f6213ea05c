package dev.perigee.broker.group;

import dev.perigee.broker.check.ColdAnswer;
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
import dev.perigee.remoting.Reply;
import dev.perigee.store.queue.ConsumeQueue;
import dev.perigee.store.queue.ConsumeQueueView;
import dev.perigee.store.view.ColdReaders;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Where new push consumers start: pinned once per group and topic, as of the arrival of the first heartbeat that subscribes
 * to it. Queues that come later start at 0, so nothing that is sent after the heartbeat is passed over. Only topics that
 * exist are pinned, and the group's own retry topic; see {@link LatePins} for topics that come later. What must be read from
 * files for it is read beforehand, on a cold reader: the view loop, where the pins are made, reads none.
 */
@ThreadSafe
public final class StartPositions {
    private static final long IN_A_FILE = -1;

    private final OffsetView offsets;
    private final TopicView topics;
    private final ConsumeQueueView queues;
    private final ColdReaders coldReaders;

    public StartPositions(OffsetView offsets, TopicView topics, ConsumeQueueView queues, ColdReaders coldReaders) {
        this.offsets = offsets;
        this.topics = topics;
        this.queues = queues;
        this.coldReaders = coldReaders;
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
     * Finds where the queues ended that a consumer subscribes to.
     *
     * @param arrivedEnd the confirmed end of the log when the consumer was heard of; the views have come that far
     * @param reply answered when that must be read from files and cannot
     * @param then given the ends by queue: at once, or on a cold reader
     */
    void ends(ConsumerData consumer, long arrivedEnd, Reply<?> reply, Consumer<Map<ConsumeQueue, Long>> then) {
        Map<ConsumeQueue, Long> ends = new HashMap<>();
        List<ConsumeQueue> cold = new ArrayList<>();
        if (isPinned(consumer) && !isFirst(consumer.consumeFromWhere())) {
            for (SubscriptionData subscription : consumer.subscriptionDataSet()) {
                for (ConsumeQueue queue : queues.queues(subscription.topic())) {
                    long end = endInMemory(queue, arrivedEnd);
                    if (end == IN_A_FILE) {
                        cold.add(queue);
                    } else {
                        ends.put(queue, end);
                    }
                }
            }
        }
        if (cold.isEmpty()) {
            then.accept(ends);
        } else {
            ColdAnswer.give(coldReaders, reply, () -> {
                cold.forEach(
                        queue -> ends.put(queue, endBetween(queue, queue.minOffset(), queue.maxOffset(), arrivedEnd)));
                then.accept(ends);
            });
        }
    }

    /**
     * Everything to be pinned; with {@link OffsetView#PIN} as a queue for the pin itself. On the view loop; reads no file.
     *
     * @param ends see {@link #ends}; a queue that is not among them had no message then, or is another one of that name
     */
    List<QueueCommit> pins(ConsumerData consumer, Map<ConsumeQueue, Long> ends) {
        List<QueueCommit> pins = new ArrayList<>();
        if (isPinned(consumer)) {
            for (SubscriptionData subscription : consumer.subscriptionDataSet()) {
                if (lacksPin(consumer.groupName(), subscription.topic())) {
                    addPins(consumer, subscription.topic(), ends, pins);
                }
            }
        }
        return pins;
    }

    private boolean lacksPin(String group, String topic) {
        boolean mayBePinned = topics.current().find(topic) != null || topic.equals(TopicName.retry(group));
        return mayBePinned && !offsets.isPinned(group, topic);
    }

    private void addPins(ConsumerData consumer, String topic, Map<ConsumeQueue, Long> ends, List<QueueCommit> pins) {
        String group = consumer.groupName();
        pins.add(new QueueCommit(group, topic, OffsetView.PIN, 0));
        TopicConfig config = topics.current().find(topic);
        int count = config == null ? 0 : config.readQueueNums();
        boolean atEnd = !isFirst(consumer.consumeFromWhere()) && !topic.startsWith(TopicName.RETRY_PREFIX);
        for (int queueId = 0; queueId < count; queueId++) {
            ConsumeQueue queue = queues.find(topic, queueId);
            long offset = queue == null ? 0 : atEnd ? endOf(queue, ends) : queue.minOffset();
            pins.add(new QueueCommit(group, topic, queueId, offset));
        }
    }

    private static long endOf(ConsumeQueue queue, Map<ConsumeQueue, Long> ends) {
        return Math.max(queue.minOffset(), ends.getOrDefault(queue, 0L));
    }

    /** Where the queue ended when the log's confirmed end was there; {@link #IN_A_FILE} when that is not in memory. */
    private static long endInMemory(ConsumeQueue queue, long logEnd) {
        long high = queue.maxOffset();
        if (queue.lastPhysical() < logEnd) {
            return high; // nothing came since, as nearly always
        }
        long low = Math.max(queue.minOffset(), queue.memoryStart());
        if (low > queue.minOffset() && (low >= high || !isBelow(queue, low, logEnd))) {
            return IN_A_FILE;
        }
        return endBetween(queue, low, high, logEnd);
    }

    /** Entries whose messages lie at or behind the end came later. */
    private static long endBetween(ConsumeQueue queue, long first, long end, long logEnd) {
        long low = first;
        long high = end;
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
