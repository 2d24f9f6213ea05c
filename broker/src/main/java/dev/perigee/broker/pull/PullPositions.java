package dev.perigee.broker.pull;

import dev.perigee.loop.ThreadSafe;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where each group pulled last in each queue: everything below has been handed to some consumer of it, consumed or not.
 * Soft state for statistics: lost on restart, when the next pull of a queue brings it back.
 */
@ThreadSafe
public final class PullPositions {
    /** Queues of groups that are remembered; what comes beyond is not, and its group seems to have pulled what it consumed. */
    public static final int MAX_QUEUES = 500_000;

    private record Place(String group, String topic, int queueId) {}

    private final ConcurrentHashMap<Place, Long> positions = new ConcurrentHashMap<>();
    private final int maxQueues;

    public PullPositions() {
        this(MAX_QUEUES);
    }

    PullPositions(int maxQueues) {
        this.maxQueues = maxQueues;
    }

    /** Notes that a group has asked for messages from this offset on. */
    void pulled(String group, String topic, int queueId, long offset) {
        Place place = new Place(group, topic, queueId);
        Long before = positions.get(place);
        if (before == null ? positions.mappingCount() < maxQueues : before != offset) {
            positions.put(place, offset);
        }
    }

    /** Where a group pulled last; −1 when it did not since the broker started. */
    public long of(String group, String topic, int queueId) {
        return positions.getOrDefault(new Place(group, topic, queueId), -1L);
    }

    /** Drops a topic that is gone: one of that name that comes later starts anew. */
    public void forgetTopic(String topic) {
        positions.keySet().removeIf(place -> place.topic.equals(topic));
    }

    /** Drops a group that is gone. */
    public void forgetGroup(String group) {
        positions.keySet().removeIf(place -> place.group.equals(group));
    }
}
