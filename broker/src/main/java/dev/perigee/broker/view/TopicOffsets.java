package dev.perigee.broker.view;

import dev.perigee.loop.Immutable;
import dev.perigee.store.queue.ConsumeQueueView;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** The offsets of one group in one topic, and whether its start was pinned: queues without an offset then start at 0. */
@Immutable
final class TopicOffsets {
    /** No offset. */
    static final long NONE = -1;

    static final TopicOffsets EMPTY = new TopicOffsets(new long[0], false);

    private final long[] byQueue;
    private final boolean pinned;

    private TopicOffsets(long[] byQueue, boolean pinned) {
        this.byQueue = byQueue;
        this.pinned = pinned;
    }

    long find(int queueId) {
        return queueId >= 0 && queueId < byQueue.length ? byQueue[queueId] : NONE;
    }

    boolean pinned() {
        return pinned;
    }

    TopicOffsets with(int queueId, long offset) {
        if (find(queueId) == offset || queueId >= ConsumeQueueView.MAX_QUEUE_ID) {
            return this; // no queue has such a number; a log that names one must still open
        }
        long[] next = Arrays.copyOf(byQueue, Math.max(byQueue.length, queueId + 1));
        Arrays.fill(next, Math.min(byQueue.length, next.length), next.length, NONE);
        next[queueId] = offset;
        return new TopicOffsets(next, pinned);
    }

    TopicOffsets pin() {
        return pinned ? this : new TopicOffsets(byQueue, true);
    }

    /** queue → offset, only queues that have one. */
    Map<Integer, Long> asMap() {
        Map<Integer, Long> all = new TreeMap<>();
        for (int queueId = 0; queueId < byQueue.length; queueId++) {
            if (byQueue[queueId] != NONE) {
                all.put(queueId, byQueue[queueId]);
            }
        }
        return all;
    }
}
