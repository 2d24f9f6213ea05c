package dev.perigee.client.consumer;

import dev.perigee.client.queue.ProcessQueue;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One call of a listener: whatever it does, it ends with a result. */
@ThreadSafe
final class ListenerRun {
    private static final Logger LOG = LoggerFactory.getLogger(ListenerRun.class);

    /** Either kind of listener. */
    interface Body {
        @Nullable
        ConsumeResult consume(List<MessageExt> messages) throws Exception;
    }

    private final Body listener;
    private final String group;
    private final Clock clock;
    private final ConsumeCounters counters;

    ListenerRun(Body listener, String group, Clock clock, ConsumeCounters counters) {
        this.listener = listener;
        this.group = group;
        this.clock = clock;
        this.counters = counters;
    }

    /**
     * Calls the listener on the calling thread.
     *
     * @param ended told the result, also when the listener fails in a way that ends the thread
     */
    void run(List<MessageExt> messages, Consumer<ConsumeResult> ended) {
        ConsumeResult result = ConsumeResult.LATER;
        long startedMs = clock.monotonicMs();
        try {
            if (consume(messages) == ConsumeResult.SUCCESS) {
                result = ConsumeResult.SUCCESS;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.warn(
                    "event=listener_failed group={} queue={} queueOffset={} messages={}",
                    group,
                    messages.get(0).queue(),
                    messages.get(0).queueOffset(),
                    messages.size(),
                    e);
        } finally {
            count(messages, result, clock.monotonicMs() - startedMs);
            ended.accept(result);
        }
    }

    /** Calls the listener with the messages as users see them. */
    @Nullable
    ConsumeResult consume(List<MessageExt> messages) throws Exception {
        return listener.consume(messages);
    }

    private void count(List<MessageExt> messages, ConsumeResult result, long tookMs) {
        ConsumeCounters.OfTopic topic = counters.of(messages.get(0).topic());
        (result == ConsumeResult.SUCCESS ? topic.consumed : topic.failed).add(messages.size());
        topic.listenerMs.add(tookMs);
    }

    /** The messages of these slots as users see them: one that is retried carries its original topic. */
    static List<MessageExt> messagesOf(List<ProcessQueue.Slot> slots) {
        List<MessageExt> messages = new ArrayList<>(slots.size());
        for (ProcessQueue.Slot slot : slots) {
            messages.add(withOriginalTopic(slot.message()));
        }
        return messages;
    }

    static MessageExt withOriginalTopic(MessageExt message) {
        String original = message.property(PropertyKey.RETRY_TOPIC);
        if (original == null || !TopicName.isRetry(message.topic())) {
            return message;
        }
        Message restored = message.message().withTopic(original);
        return message.withMessage(restored);
    }
}
