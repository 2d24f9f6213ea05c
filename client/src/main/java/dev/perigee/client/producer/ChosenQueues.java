package dev.perigee.client.producer;

import dev.perigee.client.error.BufferFullException;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.request.ReplyMessage;
import dev.perigee.client.request.Requests;
import dev.perigee.client.route.TopicRoute;
import dev.perigee.client.selector.MessageQueueSelector;
import dev.perigee.client.send.QueueChoice;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.Sending;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.remoting.call.Deadline;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** Sends for which the route must be known first: to a queue that a selector chooses, or with a reply to come. */
@ThreadSafe
final class ChosenQueues implements Requests.Way {
    private final ClientInstance instance;
    private final LaneParts parts;
    private final MessageChecks checks;
    private final Admission admission;
    private final Intake intake;
    /** By topic; only of topics whose route is looked for. */
    private final ConcurrentMap<String, Line> lines = new ConcurrentHashMap<>();

    ChosenQueues(ClientInstance instance, LaneParts parts, MessageChecks checks, Admission admission, Intake intake) {
        this.instance = instance;
        this.parts = parts;
        this.checks = checks;
        this.admission = admission;
        this.intake = intake;
    }

    /** A send whose route is looked for. */
    private record Waiting(CompletableFuture<TopicRoute> route, Runnable go) {}

    /** The sends to one topic whose route is looked for: they go on in the order in which they came. */
    private static final class Line {
        // Guarded by this: callers come on their own threads, and who brings a route has to see all that were before.
        private final Deque<Waiting> waiting = new ArrayDeque<>();
        private boolean going;
        private boolean over;

        /** Joins the line; false when it is over and another one takes its place. */
        synchronized boolean join(Waiting send) {
            return !over && waiting.add(send);
        }

        synchronized int size() {
            return waiting.size();
        }

        /** Whether the caller is to take them one by one now; one thread at a time does. */
        synchronized boolean begins() {
            boolean begins = !going && !over;
            going |= begins;
            return begins;
        }

        /** The next one whose search is over; null, and the end of this thread's turn, when there is none. */
        synchronized @Nullable Waiting next() {
            Waiting first = waiting.peek();
            if (first != null && first.route.isDone()) {
                return waiting.poll();
            }
            going = false;
            over = waiting.isEmpty();
            return null;
        }
    }

    /** The route of a topic; fails with a client exception, at the latest at the deadline. */
    @Override
    public CompletableFuture<TopicRoute> route(String topic, Deadline deadline) {
        try {
            admission.requireRunning(topic, deadline.remainingMs());
            checks.topic(topic, deadline.remainingMs());
        } catch (ClientException e) {
            return CompletableFuture.failedFuture(e);
        }
        CompletableFuture<TopicRoute> found =
                instance.routes().getForPublish(topic, parts.config().newTopicQueues());
        if (found.isDone()) {
            return found;
        }
        return instance.within(
                deadline,
                found,
                "the search for a route at " + instance.nameServers().addresses(),
                () -> FailureSite.untried(topic, deadline.remainingMs()));
    }

    /** As {@link #route}, waiting for it. Blocks. */
    TopicRoute await(String topic, Deadline deadline) throws ClientException {
        return Failures.await(
                route(topic, deadline), "search for a route", () -> FailureSite.untried(topic, deadline.remainingMs()));
    }

    @Override
    public Requests.Parcel pack(Message message, Deadline deadline) throws ClientException {
        return intake.packed(message, deadline);
    }

    /** Sends to the queue the selector chooses. Blocks while the route is not known yet. */
    <A> Sending send(Message message, MessageQueueSelector<A> selector, A argument) throws ClientException {
        Deadline deadline = parts.deadline();
        TopicRoute route = await(message.topic(), deadline);
        MessageQueue chosen = select(route, message, selector, argument, deadline);
        QueueChoice choice = new QueueChoice(chosen, newer -> again(newer, message, selector, argument, deadline));
        return intake.single(message, choice, deadline);
    }

    /** A choice on one of the producer's own threads, checked as the first one is. */
    private <A> MessageQueue again(
            TopicRoute newer, Message message, MessageQueueSelector<A> selector, A argument, Deadline deadline)
            throws ClientException {
        MessageQueue queue = parts.callbacks().calling(() -> select(newer, message, selector, argument, deadline));
        checks.queue(message.topic(), queue, deadline.remainingMs());
        return queue;
    }

    /**
     * As {@link #send(Message, MessageQueueSelector, Object)}, without blocking while the route is not known: a full memory then
     * fails the send, as so many others before it do that wait for the route.
     */
    <A> CompletableFuture<SendResult> sendAsync(Message message, MessageQueueSelector<A> selector, A argument) {
        String topic = message.topic();
        Optional<TopicRoute> known = instance.routes().known(topic);
        Deadline deadline = parts.deadline();
        Line before = lines.get(topic);
        if (known.isPresent() && before == null) {
            return selected(known.get(), intake.observed(message), selector, argument, deadline);
        }
        if (before != null && before.size() >= parts.config().bufferMessages()) {
            return CompletableFuture.failedFuture(new BufferFullException(
                    "too many sends wait for a route limitMessages="
                            + parts.config().bufferMessages(),
                    FailureSite.untried(topic, deadline.remainingMs())));
        }
        Message observed = intake.observed(message); // whoever brings the route knows nothing of the caller's context
        CompletableFuture<SendResult> result = new CompletableFuture<>();
        CompletableFuture<TopicRoute> found = route(topic, deadline);
        Line line = join(
                topic,
                new Waiting(
                        found,
                        () -> parts.callbacks()
                                .during(() -> Completion.on(found, (route, failure) -> {
                                    if (failure != null) {
                                        FailureSite site = FailureSite.untried(topic, deadline.remainingMs());
                                        result.completeExceptionally(Failures.of(failure, site));
                                    } else {
                                        forward(selected(route, observed, selector, argument, deadline), result);
                                    }
                                }))));
        Completion.on(found, (route, failure) -> go(topic, line));
        return result;
    }

    private Line join(String topic, Waiting send) {
        while (true) {
            Line line = lines.computeIfAbsent(topic, same -> new Line());
            if (line.join(send)) {
                return line;
            }
            lines.remove(topic, line);
        }
    }

    /** Sends what has waited long enough. Whoever brings a route last may be the first of the line. */
    private void go(String topic, Line line) {
        if (!line.begins()) {
            return;
        }
        for (Waiting send = line.next(); send != null; send = line.next()) {
            send.go.run();
        }
        if (line.size() == 0) {
            lines.remove(topic, line);
        }
    }

    /** A choice for a message that observers have seen, made on any thread; an event loop has to be marked as such. */
    private <A> CompletableFuture<SendResult> selected(
            TopicRoute route, Message message, MessageQueueSelector<A> selector, A argument, Deadline deadline) {
        try {
            return intake.queuedAs(message, select(route, message, selector, argument, deadline));
        } catch (ClientException | RuntimeException | Error e) { // the selector is the user's and may throw anything
            return CompletableFuture.failedFuture(e);
        }
    }

    private static void forward(CompletableFuture<SendResult> from, CompletableFuture<SendResult> to) {
        Completion.on(from, (result, failure) -> {
            if (failure == null) {
                to.complete(result);
            } else {
                to.completeExceptionally(failure);
            }
        });
    }

    private static <A> MessageQueue select(
            TopicRoute route, Message message, MessageQueueSelector<A> selector, A argument, Deadline deadline)
            throws ClientException {
        if (route.publishQueues().isEmpty()) {
            throw new NoRouteException(
                    "topic has no writable queue", FailureSite.untried(message.topic(), deadline.remainingMs()));
        }
        return Objects.requireNonNull(
                selector.select(route.publishQueues(), message, argument), "the selector chose no queue");
    }

    /** Sends the reply to a request through the broker of the request, else through another one. Blocks. */
    SendResult reply(MessageExt request, byte[] body) throws ClientException {
        Deadline deadline = parts.deadline();
        Message reply = ReplyMessage.to(request, body, deadline.remainingMs());
        MessageQueue near = on(request.brokerName(), await(reply.topic(), deadline));
        if (near != null) {
            try {
                return Producer.await(intake.single(reply, QueueChoice.named(near), deadline), "reply");
            } catch (ClientException e) {
                // Code 1 says that the asker is not connected there; and whoever asked drops a second reply.
                boolean isInDoubt = e.mayHaveTakenEffect() && !(e instanceof RefusedException);
                if (!e.isRetryable() || isInDoubt || deadline.isExpired()) {
                    throw e;
                }
            }
        }
        return Producer.await(intake.single(reply, null, deadline), "reply");
    }

    /** A queue on that broker; null when it has none. */
    private static @Nullable MessageQueue on(String brokerName, TopicRoute route) {
        return route.publishQueues().stream()
                .filter(queue -> queue.brokerName().equals(brokerName))
                .findFirst()
                .orElse(null);
    }
}
