package dev.perigee.client.queue;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.MessageQueue;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * Says whether a queue may be pulled, by the limits of queues and topics, and counts why not. All pullers of one consumer
 * share it. No timer runs: a queue over its own limit pulls again when messages of it are finished, one that others hold
 * back when {@link #released} is called.
 */
@OwnedBy("client loop")
public final class FlowGate {
    /** Why a queue is not pulled. */
    public enum Hold {
        NONE,
        /** Too many unfinished messages of the queue. */
        COUNT,
        /** Too many bytes of them. */
        BYTES,
        /** Too far from the oldest to the newest of them. */
        SPAN,
        /** The queue has more than its share of the topic, or the consumer holds all it may. */
        TOPIC
    }

    /** How often a queue was held back, by reason; a hold counts once, however long it lasts. */
    public record FlowCounts(long byCount, long byBytes, long bySpan, long byTopic) {
        /** Never held back. */
        public static final FlowCounts NONE = new FlowCounts(0, 0, 0, 0);

        private FlowCounts plus(Hold hold) {
            return switch (hold) {
                case NONE -> this;
                case COUNT -> new FlowCounts(byCount + 1, byBytes, bySpan, byTopic);
                case BYTES -> new FlowCounts(byCount, byBytes + 1, bySpan, byTopic);
                case SPAN -> new FlowCounts(byCount, byBytes, bySpan + 1, byTopic);
                case TOPIC -> new FlowCounts(byCount, byBytes, bySpan, byTopic + 1);
            };
        }
    }

    private final FlowLimits queueLimits;
    private final TopicLimits topicLimits;
    private final BooleanSupplier hasRoom;
    private final Map<MessageQueue, QueuePuller> open = new HashMap<>();
    private final Map<String, Integer> openOfTopic = new HashMap<>();
    private final Map<MessageQueue, Hold> held = new HashMap<>();
    private final Map<MessageQueue, FlowCounts> counts = new HashMap<>();

    /** A gate with limits of queues and topics. */
    public FlowGate(FlowLimits queue, TopicLimits topic) {
        this(queue, topic, () -> true);
    }

    /** @param hasRoom whether the consumer as a whole may hold more; who makes room calls {@link #releasedAll} */
    public FlowGate(FlowLimits queue, TopicLimits topic, BooleanSupplier hasRoom) {
        this.queueLimits = queue;
        this.topicLimits = topic;
        this.hasRoom = hasRoom;
    }

    /** A puller begins; from now on its queue takes a share of the topic's limits. */
    void opened(QueuePuller puller) {
        if (open.put(puller.queue(), puller) == null) {
            openOfTopic.merge(puller.queue().topic(), 1, Integer::sum);
        }
    }

    /** A puller has ended; the others of its topic have larger shares now. */
    void closed(QueuePuller puller) {
        MessageQueue queue = puller.queue();
        if (open.remove(queue, puller)) {
            openOfTopic.computeIfPresent(queue.topic(), (topic, others) -> others == 1 ? null : others - 1);
            held.remove(queue);
            counts.remove(queue);
            released(queue.topic());
        }
    }

    /** Why this queue must not be pulled now, or {@link Hold#NONE}. Remembers a hold, to count it and to end it. */
    Hold check(MessageQueue queue, ProcessQueue cache) {
        Hold hold = judge(queue, cache);
        Hold before = hold == Hold.NONE ? held.remove(queue) : held.put(queue, hold);
        if (hold != Hold.NONE && hold != before) {
            counts.merge(queue, FlowCounts.NONE.plus(hold), (known, ignored) -> known.plus(hold));
        }
        return hold;
    }

    private Hold judge(MessageQueue queue, ProcessQueue cache) {
        Hold own = queueLimits.check(cache);
        if (own != Hold.NONE) {
            return own;
        }
        boolean isShareUsed = topicLimits.isExceeded(cache, openOfTopic.getOrDefault(queue.topic(), 1));
        return isShareUsed || !hasRoom.getAsBoolean() ? Hold.TOPIC : Hold.NONE;
    }

    /** Lets the queues of a topic that others held back pull again, if they may now. */
    public void released(String topic) {
        releaseHeld(held.keySet().stream()
                .filter(queue -> queue.topic().equals(topic))
                .toList());
    }

    /** Lets all queues that others held back pull again, if they may now. */
    public void releasedAll() {
        if (!held.isEmpty()) {
            releaseHeld(List.copyOf(held.keySet()));
        }
    }

    private void releaseHeld(List<MessageQueue> queues) {
        for (MessageQueue queue : queues) {
            QueuePuller puller = open.get(queue);
            if (puller != null && held.get(queue) == Hold.TOPIC) {
                puller.pull();
            }
        }
    }

    /** Why the queue is held back right now. */
    public Hold holdOf(MessageQueue queue) {
        return held.getOrDefault(queue, Hold.NONE);
    }

    /** How often the queue was held back since it was taken. */
    public FlowCounts counts(MessageQueue queue) {
        return counts.getOrDefault(queue, FlowCounts.NONE);
    }
}
