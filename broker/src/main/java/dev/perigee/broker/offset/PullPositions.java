package dev.perigee.broker.offset;

import dev.perigee.loop.ThreadSafe;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Where each group pulled last in each queue, and which member: everything below has been handed to some consumer of it,
 * consumed or not; and which member knows where the group stands, for it asked or committed last. Soft state: lost on
 * restart, when the next pull of a queue brings it back.
 */
@ThreadSafe
public final class PullPositions {
    /** Queues of groups that are remembered; what comes beyond is not, and its group seems to have pulled what it consumed. */
    public static final int MAX_QUEUES = 500_000;

    private record Place(String group, String topic, int queueId) {}

    /**
     * @param lowest the lowest offset that reader pulled since it has been the last one
     * @param mover the member that asked for the group's position last, or moved it; {@link #ELSEWHERE}
     */
    private record Pulled(
            long offset,
            @Nullable String clientId,
            long lowest,
            @Nullable String mover,
            Strangers strangers) {
        static final Pulled NEVER = new Pulled(-1, null, Long.MAX_VALUE, null, Strangers.NONE);

        Pulled by(long newOffset, @Nullable String newClientId) {
            boolean isSame = Objects.equals(clientId, newClientId);
            long newLowest = isSame ? Math.min(lowest, newOffset) : newOffset;
            return new Pulled(newOffset, newClientId, newLowest, mover, strangers);
        }

        Pulled askedBy(String newClientId, String newMover) {
            return new Pulled(offset, newClientId, Long.MAX_VALUE, newMover, strangers);
        }

        Pulled movedBy(String newMover) {
            return new Pulled(offset, clientId, lowest, newMover, strangers);
        }

        Pulled with(Strangers now) {
            return now.equals(strangers) ? this : new Pulled(offset, clientId, lowest, mover, now);
        }
    }

    /**
     * Where the position was last moved, or was asked for: by way of another broker, or over a connection that its client has replaced. No
     * client's id.
     */
    static final String ELSEWHERE = "\0";

    private final ConcurrentHashMap<Place, Pulled> positions = new ConcurrentHashMap<>();
    private final int maxQueues;
    private volatile long sinceMs = Long.MIN_VALUE;

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
        Pulled known = positions.get(place);
        if (known == null || !known.equals(known.by(offset, clientId))) {
            note(place, before -> before.by(offset, clientId));
        }
    }

    private void note(Place place, UnaryOperator<Pulled> change) {
        positions.compute(place, (same, before) -> {
            if (before == null && positions.mappingCount() >= maxQueues) {
                return null;
            }
            return change.apply(before == null ? Pulled.NEVER : before);
        });
    }

    /**
     * Notes that a member has asked where its group stands, which it does before it reads a queue: the queue is its from then on.
     * Where the group pulled last stays.
     */
    void asked(String group, String topic, int queueId, String clientId) {
        note(new Place(group, topic, queueId), before -> before.askedBy(clientId, clientId));
    }

    /**
     * Notes that a member has asked by way of another broker, or over a connection that it has replaced: the queue is its from then on, but
     * whether the answer reaches it, and before it reads here, is not known.
     */
    void askedElsewhere(String group, String topic, int queueId, String clientId) {
        note(new Place(group, topic, queueId), before -> before.askedBy(clientId, ELSEWHERE));
    }

    /** Notes that a member has moved its group's position. */
    void moved(String group, String topic, int queueId, String clientId) {
        Place place = new Place(group, topic, queueId);
        if (!clientId.equals(positions.getOrDefault(place, Pulled.NEVER).mover())) {
            note(place, before -> before.movedBy(clientId));
        }
    }

    /**
     * Notes that a position was moved by way of another broker, or over a connection that was replaced: whoever reads here does not know how
     * far it is now, until it asks or gets there itself.
     */
    void movedElsewhere(String group, String topic, int queueId) {
        moved(group, topic, queueId, ELSEWHERE);
        strangers(group, topic, queueId, Strangers::movedElsewhere);
    }

    /** Notes what one did who is no member that shares out queues. */
    void strangers(String group, String topic, int queueId, UnaryOperator<Strangers> change) {
        Place place = new Place(group, topic, queueId);
        Strangers known = positions.getOrDefault(place, Pulled.NEVER).strangers();
        if (!change.apply(known).equals(known)) {
            note(place, before -> before.with(change.apply(before.strangers())));
        }
    }

    /** Who of those did something with a queue. */
    Strangers strangers(String group, String topic, int queueId) {
        return positions
                .getOrDefault(new Place(group, topic, queueId), Pulled.NEVER)
                .strangers();
    }

    /**
     * The member that asked for the group's position last, or moved it; null when none did since the broker started, or last began to
     * lead; {@link #ELSEWHERE} when it was last moved there.
     */
    @Nullable
    String mover(String group, String topic, int queueId) {
        Pulled pulled = positions.get(new Place(group, topic, queueId));
        return pulled == null ? null : pulled.mover();
    }

    /** Whether that member pulled last, and once from there or from before since it has been the last one. */
    boolean hasReadAgain(String group, String topic, int queueId, long fromOffset, String clientId) {
        Pulled pulled = positions.get(new Place(group, topic, queueId));
        return pulled != null && clientId.equals(pulled.clientId()) && pulled.lowest() <= fromOffset;
    }

    /** Whether nothing is remembered of a queue for want of room. */
    boolean isBeyondLimit(String group, String topic, int queueId) {
        return positions.mappingCount() >= maxQueues && !positions.containsKey(new Place(group, topic, queueId));
    }

    /** Where a group pulled last; −1 when it did not since the broker started, or last began to lead. */
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

    /** Another leadership begins: who read in one before may have gone on elsewhere since. */
    public void beginAnew(long nowMs) {
        sinceMs = nowMs;
        positions.clear();
    }

    /** When the last leadership began, in monotonic milliseconds; {@link Long#MIN_VALUE} at a broker of no group. */
    long sinceMs() {
        return sinceMs;
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
