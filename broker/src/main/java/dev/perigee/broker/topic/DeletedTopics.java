package dev.perigee.broker.topic;

import dev.perigee.loop.ThreadSafe;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Topics whose deletion is in the log, with the place of the deletion: a send that passed its checks before and was
 * appended behind it must not be acknowledged. Forgotten when the topic is created again.
 */
@ThreadSafe
public final class DeletedTopics {
    /** Most deletions remembered; beyond it the oldest knowledge is dropped as a whole, for such sends are long over. */
    private static final int MAX_REMEMBERED = 10_000;

    private final ConcurrentHashMap<String, Long> deletions = new ConcurrentHashMap<>();

    void deleted(String topic, long endOffset) {
        if (deletions.size() >= MAX_REMEMBERED) {
            deletions.clear();
        }
        deletions.put(topic, endOffset);
    }

    /** The topic is created again; to be called when that is in the log, before any send to it is answered. */
    public void created(String topic) {
        deletions.remove(topic);
    }

    /** Whether a frame of the topic at this offset lies behind the topic's end. */
    public boolean isPastEnd(String topic, long physicalOffset) {
        if (deletions.isEmpty()) {
            return false;
        }
        Long end = deletions.get(topic);
        return end != null && physicalOffset >= end;
    }
}
