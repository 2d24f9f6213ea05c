package dev.perigee.client.producer;

import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.hook.SendObservers;
import dev.perigee.client.hook.SentMessage;
import dev.perigee.client.route.RouteCache;
import dev.perigee.client.send.SendResult;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Shows sends to those who look on; where nobody does it costs nothing.
 *
 * @param observers who looks on
 * @param routes knows the addresses of brokers
 * @param clock the time
 */
@Immutable
record Observation(SendObservers observers, RouteCache routes, Clock clock) {
    Message prepared(Message message) {
        return observers.isEmpty() ? message : observers.prepare(message);
    }

    /** Tells the observers when the send of this message is done; it begins now. */
    void of(Message message, String messageId, @Nullable MessageQueue queue, CompletableFuture<SendResult> result) {
        if (!observers.isEmpty()) {
            Begun begun = new Begun(queue, clock.wallMs(), clock.monotonicMs());
            Completion.on(result, (sent, failure) -> tell(message, messageId, begun, sent, failure));
        }
    }

    /** As {@link #of(Message, String, MessageQueue, CompletableFuture)}, for messages that have one result together. */
    void of(
            List<Message> messages,
            List<String> messageIds,
            @Nullable MessageQueue queue,
            CompletableFuture<SendResult> result) {
        if (!observers.isEmpty()) {
            Begun begun = new Begun(queue, clock.wallMs(), clock.monotonicMs());
            Completion.on(result, (sent, failure) -> {
                for (int i = 0; i < messages.size(); i++) {
                    String id = messageIds.get(i);
                    tell(messages.get(i), id, begun, failure == null ? sent.entry(id, i) : null, failure);
                }
            });
        }
    }

    /** Who was asked last; empty when nobody was. */
    static String addressOf(FailureSite site) {
        return site.address().equals(FailureSite.NONE) ? "" : site.address();
    }

    private record Begun(@Nullable MessageQueue queue, long wallMs, long monotonicMs) {}

    private void tell(
            Message message, String messageId, Begun begun, @Nullable SendResult sent, @Nullable Throwable failure) {
        var failed = failure == null ? null : Failures.of(failure, FailureSite.untried(message.topic(), 0));
        String address = sent != null
                ? routes.masterAddress(sent.queue().brokerName()).orElse("")
                : failed == null ? "" : addressOf(failed.site());
        observers.ended(new SentMessage(
                message,
                messageId,
                sent != null ? sent.queue() : begun.queue,
                address,
                begun.wallMs,
                clock.monotonicMs() - begun.monotonicMs,
                sent,
                failed));
    }
}
