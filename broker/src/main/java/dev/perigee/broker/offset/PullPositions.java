package dev.perigee.broker.offset;

import dev.perigee.loop.ThreadSafe;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Where each group pulled last in each queue, and which member: everything below has been handed to some consumer of it,
 * consumed or not. Soft state: lost on restart, when the next pull of a queue brings it back.
 */
@ThreadSafe
public final class PullPositions {
    /** Queues of groups that are remembered; what comes beyond is not, and its group seems to have pulled what it consumed. */
    public static final int MAX_QUEUES = 500_000;

    private record Place(String group, String topic, int queueId) {}

    private record Pulled(long offset, @Nullable String clientId) {}

    private final ConcurrentHashMap<Place, Pulled> positions = new ConcurrentHashMap<>();
    private final int maxQueues;

    public PullPositions() {
        this(MAX_QUEUES);
    }

    PullPositions(int maxQueues) {
        this.maxQueues = maxQueues;
    }

    /**
     * Notes that a group has asked for messages from this offset on.
     *
     * @param clientId the member that asked; null when it is not known to be one
     */
    void pulled(String group, String topic, int queueId, long offset, @Nullable String clientId) {
        Place place = new Place(group, topic, queueId);
        Pulled before = positions.get(place);
        Pulled now = new Pulled(offset, clientId);
        if (before == null ? positions.mappingCount() < maxQueues : !before.equals(now)) {
            positions.put(place, now);
        }
    }

    /**
     * Notes that a member has asked where its group stands, which it does before it reads a queue: the queue is its from then on.
     * Where the group pulled last stays.
     */
    void asked(String group, String topic, int queueId, String clientId) {
        pulled(group, topic, queueId, of(group, topic, queueId), clientId);
    }

    /** Where a group pulled last; −1 when it did not since the broker started. */
    public long of(String group, String topic, int queueId) {
        Pulled pulled = positions.get(new Place(group, topic, queueId));
        return pulled == null ? -1 : pulled.offset();
    }

    /** The member that pulled or asked last; null when nobody did, or it was not known. */
    @Nullable
    String lastReader(String group, String topic, int queueId) {
        Pulled pulled = positions.get(new Place(group, topic, queueId));
        return pulled == null ? null : pulled.clientId();
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
