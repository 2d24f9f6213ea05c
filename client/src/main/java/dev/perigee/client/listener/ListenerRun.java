package dev.perigee.client.listener;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.topic.TopicName;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls a listener: whatever it does, each call ends with an outcome. */
@ThreadSafe
public final class ListenerRun {
    private static final Logger LOG = LoggerFactory.getLogger(ListenerRun.class);

    /** Either kind of listener. */
    public interface Body {
        /** The user's code; null and an exception mean {@link ConsumeResult#LATER}. */
        @Nullable
        ConsumeResult consume(List<MessageExt> messages, ConsumeControl context) throws Exception;
    }

    private final Body listener;
    private final String group;
    private final FailurePolicy policy;
    private final Clock clock;
    private final ConsumeCounters counters;
    private final RunningCalls calls = new RunningCalls();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    public ListenerRun(Body listener, String group, FailurePolicy policy, Clock clock, ConsumeCounters counters) {
        this.listener = listener;
        this.group = group;
        this.policy = policy;
        this.clock = clock;
        this.counters = counters;
    }

    /** The calls under way, each until its outcome was handed on. */
    public RunningCalls calls() {
        return calls;
    }

    /** Whether the calling thread is inside a listener call. */
    public boolean isOnCall() {
        return threads.contains(Thread.currentThread());
    }

    /**
     * Calls the listener on the calling thread. The caller has called {@link RunningCalls#begun} and calls {@link
     * RunningCalls#ended} afterwards.
     *
     * @param queue where the messages were read
     * @param ended told the outcome, also when the listener fails in a way that ends the thread
     */
    public void run(MessageQueue queue, List<MessageExt> messages, Consumer<Outcome> ended) {
        ConsumeControl context = new ConsumeControl(queue, policy);
        ConsumeResult result = ConsumeResult.LATER;
        long startedMs = clock.monotonicMs();
        boolean isOutermost = threads.add(Thread.currentThread());
        try {
            if (listener.consume(messages, context) == ConsumeResult.SUCCESS) {
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
            if (isOutermost) {
                threads.remove(Thread.currentThread());
            }
            Outcome outcome = context.outcome(result, messages.size());
            count(messages, outcome, clock.monotonicMs() - startedMs);
            ended.accept(outcome);
        }
    }

    /** Calls the listener with one message, outside of any queue's order, and gives what it says. */
    public ConsumeResult runOne(MessageExt message) throws Exception {
        MessageExt shown = withOriginalTopic(message);
        ConsumeResult result = listener.consume(List.of(shown), new ConsumeControl(message.queue(), policy));
        return result == null ? ConsumeResult.LATER : result;
    }

    private void count(List<MessageExt> messages, Outcome outcome, long tookMs) {
        ConsumeCounters.OfTopic topic = counters.of(messages.get(0).topic());
        topic.consumed.add(outcome.finished());
        topic.failed.add(messages.size() - outcome.finished());
        topic.listenerMs.add(tookMs);
    }

    /** A message as users see it: one that is retried carries its original topic. */
    public static MessageExt withOriginalTopic(MessageExt message) {
        String original = message.property(PropertyKey.RETRY_TOPIC);
        if (original == null || !TopicName.isRetry(message.topic())) {
            return message;
        }
        Message restored = message.message().withTopic(original);
        return message.withMessage(restored);
    }
}
