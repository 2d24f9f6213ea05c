package dev.perigee.client.listener;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.topic.TopicName;
import java.util.List;
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
    private final ConsumeObservers observers;
    private final RunningCalls calls = new RunningCalls();
    /** Whether the thread is inside a call of this consumer. */
    private final ThreadLocal<Boolean> onCall = ThreadLocal.withInitial(() -> false);

    public ListenerRun(
            Body listener,
            String group,
            FailurePolicy policy,
            Clock clock,
            ConsumeCounters counters,
            ConsumeObservers observers) {
        this.listener = listener;
        this.group = group;
        this.policy = policy;
        this.clock = clock;
        this.counters = counters;
        this.observers = observers;
    }

    /** The calls under way, each until its outcome was handed on. */
    public RunningCalls calls() {
        return calls;
    }

    /** Whether the calling thread is inside a listener call. */
    public boolean isOnCall() {
        return onCall.get();
    }

    /** As {@link #run(MessageQueue, List, long, Consumer)}, beginning now. */
    public void run(MessageQueue queue, List<MessageExt> messages, Consumer<? super Outcome> ended) {
        run(queue, messages, clock.monotonicNs(), ended);
    }

    /**
     * Calls the listener on the calling thread. The caller has called {@link RunningCalls#begun} and calls {@link
     * RunningCalls#ended} afterwards; it may make several calls in between.
     *
     * @param queue where the messages were read
     * @param startedNs now, in monotonic nanoseconds
     * @param ended told the outcome, also when the listener fails in a way that ends the thread
     * @return when the call ended, in monotonic nanoseconds
     */
    public long run(MessageQueue queue, List<MessageExt> messages, long startedNs, Consumer<? super Outcome> ended) {
        ConsumeControl context = new ConsumeControl(queue, policy);
        @Nullable Object[] seen = observers.begun(group, messages);
        @Nullable ConsumeResult said = null;
        @Nullable Throwable thrown = null;
        long endedNs = startedNs;
        boolean isInner = onCall.get();
        onCall.set(true);
        try {
            said = listener.consume(messages, context);
        } catch (InterruptedException e) {
            thrown = e;
            Thread.currentThread().interrupt();
        } catch (Error e) {
            thrown = e;
            throw e;
        } catch (Exception e) {
            thrown = e;
            LOG.warn(
                    "event=listener_failed group={} queue={} queueOffset={} messages={}",
                    group,
                    messages.get(0).queue(),
                    messages.get(0).queueOffset(),
                    messages.size(),
                    e);
        } finally {
            onCall.set(isInner);
            endedNs = clock.monotonicNs();
            ConsumeResult result = said == ConsumeResult.SUCCESS ? said : ConsumeResult.LATER;
            Outcome outcome = context.outcome(result, messages.size());
            count(messages, outcome, endedNs - startedNs);
            try {
                ended.accept(outcome);
            } finally {
                if (!observers.isEmpty()) {
                    observers.ended(seen, new ConsumeObservers.End(said, outcome, endedNs - startedNs, thrown));
                }
            }
        }
        return endedNs;
    }

    /** Calls the listener with one message, outside of any queue's order, and gives what it says. */
    public ConsumeResult runOne(MessageExt message) throws Exception {
        MessageExt shown = withOriginalTopic(message);
        ConsumeResult result = listener.consume(List.of(shown), new ConsumeControl(message.queue(), policy));
        return result == null ? ConsumeResult.LATER : result;
    }

    private void count(List<MessageExt> messages, Outcome outcome, long tookNs) {
        ConsumeCounters.OfTopic topic = counters.of(messages.get(0).topic());
        topic.consumed.add(outcome.finished());
        if (outcome.finished() < messages.size()) {
            topic.failed.add(messages.size() - outcome.finished());
        }
        topic.listenerNs.add(tookNs);
    }

    /** A message as users see it: one that is retried carries its original topic. */
    public static MessageExt withOriginalTopic(MessageExt message) {
        if (!TopicName.isRetry(message.topic())) {
            return message;
        }
        String original = message.property(PropertyKey.RETRY_TOPIC);
        if (original == null) {
            return message;
        }
        Message restored = message.message().withTopic(original);
        return message.withMessage(restored);
    }
}
