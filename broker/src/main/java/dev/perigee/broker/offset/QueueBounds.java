package dev.perigee.broker.offset;

import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.store.queue.ConsumeQueue;
import dev.perigee.store.queue.ConsumeQueueView;
import org.jspecify.annotations.Nullable;

/** Which queues there are, and which offsets lie within them, as far as the log is applied. */
@ThreadSafe
final class QueueBounds {
    private final TopicView topics;
    private final ConsumeQueueView queues;

    QueueBounds(TopicView topics, ConsumeQueueView queues) {
        this.topics = topics;
        this.queues = queues;
    }

    /** Whether there is such a topic. */
    boolean isTopic(String topic) {
        return topics.current().find(topic) != null;
    }

    /** Why an offset of a queue is not acceptable; null when it is. */
    @Nullable
    Refusal refuse(String topic, int queueId, long offset) {
        ConsumeQueue queue = queues.find(topic, queueId);
        long end = queue == null ? 0 : queue.maxOffset();
        TopicConfig config = topics.current().find(topic);
        int queueCount = config == null ? 0 : Math.max(config.readQueueNums(), config.writeQueueNums());
        if (queueId < 0 || (queueId >= queueCount && queue == null)) {
            return new Refusal(
                    ResponseCode.INVALID_PARAMETER,
                    "queueId " + queueId + " is not between 0 and " + (queueCount - 1) + ", the queues of topic "
                            + topic);
        }
        if (offset < 0 || offset > end) {
            return new Refusal(
                    ResponseCode.INVALID_PARAMETER,
                    "commitOffset " + offset + " is not between 0 and " + end + ", the end of queue " + queueId
                            + " of topic " + topic);
        }
        return null;
    }
}
