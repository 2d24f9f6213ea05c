package dev.perigee.client.queue;

import dev.perigee.loop.Clock;
import dev.perigee.loop.InOrder;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.topic.TopicName;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Which queues a topic had when this consumer first looked at it, and when that was: what tells a queue that is new from one
 * whose start is only found late.
 */
@ThreadSafe
final class QueueHistory {
    /** What the end of a queue is for a consumer that starts there. */
    enum End {
        /** The end it has now. */
        PRESENT,
        /** The one it had at the time {@link #sinceMs} gives. */
        EARLIER,
        /** Its beginning: it is younger than the consumer. */
        BEGINNING
    }

    private record FirstLook(long wallMs, Set<MessageQueue> queues, Set<String> brokers, boolean isOver) {
        FirstLook over() {
            return new FirstLook(wallMs, queues, brokers, true);
        }
    }

    private final Clock clock;
    private final ConcurrentMap<String, FirstLook> topics = new ConcurrentHashMap<>();
    /** When the start of a queue was first asked for, of topics nobody has looked at as a whole. */
    private final ConcurrentMap<MessageQueue, Long> asked = new ConcurrentHashMap<>();

    QueueHistory(Clock clock) {
        this.clock = clock;
    }

    /** A look at a topic found these queues, maybe none. Only the first look counts. */
    void found(String topic, Set<MessageQueue> all) {
        topics.computeIfAbsent(
                topic,
                unseen -> new FirstLook(
                        clock.wallMs(),
                        InOrder.copyOf(all),
                        InOrder.copyOf(
                                all.stream().map(MessageQueue::brokerName).toList()),
                        false));
    }

    /** The look under way has ended; what is asked for from now on is asked late. */
    void lookEnded() {
        topics.replaceAll((topic, look) -> look.over());
    }

    /** Forgets a topic that is not consumed any more; the next look at it is a first one. */
    void forget(String topic) {
        topics.remove(topic);
        asked.keySet().removeIf(queue -> queue.topic().equals(topic));
    }

    /** What counts as the end of the queue. Notes that it was asked for. */
    End endOf(MessageQueue queue) {
        FirstLook look = topics.get(queue.topic());
        if (look == null) {
            return asked.putIfAbsent(queue, clock.wallMs()) == null ? End.PRESENT : End.EARLIER;
        }
        if (look.queues.contains(queue)) {
            return look.isOver ? End.EARLIER : End.PRESENT;
        }
        // A broker that was not there may only have been away, and its queues be old: the time tells. So may all of
        // them.
        boolean isNew = TopicName.isRetry(queue.topic()) || look.brokers.contains(queue.brokerName());
        return isNew ? End.BEGINNING : End.EARLIER;
    }

    /** Whether the look that found this queue has ended meanwhile. */
    boolean isLookOver(MessageQueue queue) {
        FirstLook look = topics.get(queue.topic());
        return look != null && look.isOver;
    }

    /** When the topic was first looked at, or the queue first asked for; wall milliseconds. */
    long sinceMs(MessageQueue queue) {
        FirstLook look = topics.get(queue.topic());
        return look != null ? look.wallMs : asked.getOrDefault(queue, clock.wallMs());
    }

    /** The start of the queue is known. */
    void settled(MessageQueue queue) {
        asked.remove(queue);
    }
}
