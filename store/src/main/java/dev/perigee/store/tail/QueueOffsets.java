package dev.perigee.store.tail;

import dev.perigee.loop.OwnedBy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The next offset of every queue: one plain map, a tail projection of the log (R15). A queue the log says nothing of has none of
 * its own: what it would get is asked for when it is needed, so that it is the same whoever asked before.
 */
@OwnedBy("log loop")
public final class QueueOffsets {
    /** More queues than this per topic are not addressable. */
    static final int MAX_QUEUES = 1 << 20;

    private static final int FIRST_QUEUES = 8;
    /** The log says nothing of the queue. */
    static final long UNSET = -1;

    private final Map<String, long[]> nextByTopic = new HashMap<>();
    private final ToLongFunction<String> startOf;
    private String cachedTopic = "";
    private long[] cachedQueues = new long[FIRST_QUEUES];

    /** @param startOf where a queue of a topic begins that was never set */
    public QueueOffsets(ToLongFunction<String> startOf) {
        this.startOf = startOf;
    }

    /** Takes {@code count} consecutive offsets of a queue and answers the first. */
    public long take(String topic, int queueId, int count) {
        long[] queues = queues(topic, queueId);
        long first = queues[queueId];
        if (first < 0) {
            first = startOf.applyAsLong(topic);
        }
        queues[queueId] = first + count;
        return first;
    }

    /** The offset the next message of the queue gets. */
    public long next(String topic, int queueId) {
        long next = queues(topic, queueId)[queueId];
        return next < 0 ? startOf.applyAsLong(topic) : next;
    }

    /** Sets the next offset of a queue. */
    public void set(String topic, int queueId, long next) {
        queues(topic, queueId)[queueId] = next;
    }

    /** The next offset of a queue is at least this one. */
    public void raise(String topic, int queueId, long next) {
        set(topic, queueId, Math.max(next(topic, queueId), next));
    }

    /** What was known of a topic that is forgotten. */
    static final class Forgotten {
        private final long @Nullable [] queues;

        private Forgotten(long @Nullable [] queues) {
            this.queues = queues;
        }
    }

    /** Forgets a topic: its queues begin anew. */
    Forgotten forget(String topic) {
        clearCache();
        return new Forgotten(nextByTopic.remove(topic));
    }

    /** Undoes a {@link #forget} and whatever came after it. */
    void restore(String topic, Forgotten known) {
        clearCache();
        if (known.queues == null) {
            nextByTopic.remove(topic);
        } else {
            nextByTopic.put(topic, known.queues);
        }
    }

    /** What the log says of the next offset, or {@link #UNSET}. */
    long own(String topic, int queueId) {
        return queues(topic, queueId)[queueId];
    }

    /** Shows what the log says of each queue it speaks of. */
    void forEachOwn(QueueLevels.Visitor visitor) {
        nextByTopic.forEach((topic, queues) -> {
            for (int queueId = 0; queueId < queues.length; queueId++) {
                if (queues[queueId] >= 0) {
                    visitor.queueEnd(topic, queueId, queues[queueId]);
                }
            }
        });
    }

    private void clearCache() {
        cachedTopic = "";
        cachedQueues = new long[FIRST_QUEUES];
    }

    private static long[] grown(long @Nullable [] queues, int size) {
        int known = queues == null ? 0 : queues.length;
        long[] longer = queues == null ? new long[size] : Arrays.copyOf(queues, size);
        Arrays.fill(longer, known, size, UNSET);
        return longer;
    }

    private long[] queues(String topic, int queueId) {
        if (topic.equals(cachedTopic) && queueId < cachedQueues.length && !topic.isEmpty()) {
            return cachedQueues;
        }
        if (queueId < 0 || queueId >= MAX_QUEUES) {
            throw new IllegalArgumentException(
                    "queue id " + queueId + " of topic " + topic + " must be from 0 to " + (MAX_QUEUES - 1));
        }
        long[] queues = nextByTopic.get(topic);
        if (queues == null || queueId >= queues.length) {
            int size = Math.max(FIRST_QUEUES, Integer.highestOneBit(queueId) << 1);
            queues = grown(queues, Math.max(size, queueId + 1));
            nextByTopic.put(topic, queues);
        }
        cachedTopic = topic;
        cachedQueues = queues;
        return queues;
    }
}
