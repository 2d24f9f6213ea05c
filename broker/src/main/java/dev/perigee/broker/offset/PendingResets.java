package dev.perigee.broker.offset;

import dev.perigee.loop.ThreadSafe;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Resets of offsets that no member of the group knows of yet (broker-client §2.1, §4). The next pull of the queue is told;
 * until then commits are not obeyed, since whoever sends them means the position before. Soft state: a restart forgets
 * who is to be told, not the new offset, which is in the log.
 */
@ThreadSafe
public final class PendingResets {
    /** Queues of groups with a pending reset at most; a reset of one more is refused as busy. */
    static final int MAX_QUEUES = 500_000;

    /** No reset is to be told of. */
    public static final long NONE = -1;

    private record Reset(long offset, Members members) {}

    private final ConcurrentHashMap<GroupQueue, Reset> resets = new ConcurrentHashMap<>();

    /** Whether so many more may be pending. */
    boolean hasRoom(int more) {
        return resets.mappingCount() + more <= MAX_QUEUES;
    }

    void put(GroupQueue queue, long offset, Members members) {
        resets.put(queue, new Reset(offset, members));
    }

    void drop(GroupQueue queue) {
        resets.remove(queue);
    }

    /** Whether no pull was told yet of a queue's reset. Cheap when there is no reset at all. */
    public boolean isPending(String group, String topic, int queueId) {
        return !resets.isEmpty() && isPending(new GroupQueue(group, topic, queueId));
    }

    boolean isPending(GroupQueue queue) {
        return !resets.isEmpty() && resets.containsKey(queue);
    }

    /**
     * A member pulls: it is told now, and the reset is over. Cheap when there is no reset at all.
     *
     * @return the new offset; {@link #NONE} when there is nothing to tell: no reset, or one made while the group had no
     *     members, who could hold messages from before, to the very offset that is asked for
     */
    public long take(String group, String topic, int queueId, long askedOffset) {
        if (resets.isEmpty()) {
            return NONE;
        }
        Reset reset = resets.remove(new GroupQueue(group, topic, queueId));
        if (reset == null || (reset.members() == Members.NONE && reset.offset() == askedOffset)) {
            return NONE;
        }
        return reset.offset();
    }

    void forgetTopic(String topic) {
        resets.keySet().removeIf(queue -> queue.topic().equals(topic));
    }

    void forgetGroup(String group) {
        resets.keySet().removeIf(queue -> queue.group().equals(group));
    }
}
