package dev.perigee.client.send;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.ClosedException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.DeadlineExceededException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.MalformedAnswerException;
import dev.perigee.client.error.NoNameServerException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.error.UnreachableException;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.route.TopicRoute;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.RemotingException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings one unit to a broker: finds the route, chooses the queue, sends, and tries again elsewhere when that may help.
 * A unit for a queue the caller chose is sent once. Everything ends with the unit's deadline.
 */
@ThreadSafe
public final class Sender {
    /** Before a broker that just failed is tried again, because there is no other. */
    static final long SAME_BROKER_PAUSE_MS = 50;
    /** The longest pause before a busy broker is tried again. */
    static final long MAX_PAUSE_MS = 400;

    /** By this brokers of every kind say of which of the things that are refused with 29 they speak. */
    private static final String WRONG_QUEUE = "queueId";

    private static final Logger LOG = LoggerFactory.getLogger(Sender.class);

    private final ClientInstance instance;
    private final SendPolicy policy;
    private final LatencyTable latencies;
    private final SendCounters counters;
    private final int maxTries;
    private final int newTopicQueues;
    private final Destinations destinations;
    private final OpenTries open;

    /**
     * @param maxTries tries of one unit, the first included
     * @param newTopicQueues queues of a topic created by a send
     * @param start where the round robin over queues begins
     */
    public Sender(ClientInstance instance, SendCounters counters, int maxTries, int newTopicQueues, int start) {
        this.instance = instance;
        this.latencies = new LatencyTable(instance.clock());
        this.policy = new SendPolicy(latencies, start);
        this.counters = counters;
        this.maxTries = maxTries;
        this.newTopicQueues = newTopicQueues;
        this.destinations = new Destinations(instance.routes(), instance.clock());
        this.open = new OpenTries(destinations, this::refreshQuietly, instance.loop(), instance.clock());
    }

    /**
     * Sends a unit. Returns at once; the unit is told the outcome, mostly on an event loop.
     *
     * @return tells, at any time and on any thread, where the unit stands
     */
    public Supplier<FailureSite> send(Outgoing unit) {
        Journey journey = new Journey(unit);
        attempt(journey);
        return journey::site;
    }

    /**
     * Sends a unit without asking for an answer, once the route is known and the connection open. The future tells that it
     * left, or fails with a {@link ClientException} when it did not, which is also counted and logged; the unit itself is
     * told nothing.
     */
    public CompletableFuture<Void> sendOneway(Outgoing unit) {
        CompletableFuture<Void> left = new CompletableFuture<>();
        Journey journey = new Journey(unit);
        Completion.on(routeInTime(journey), (route, failure) -> {
            if (failure != null) {
                drop(left, Failures.of(failure, journey.site()));
                return;
            }
            MessageQueue queue = journey.queue(route, policy);
            Optional<String> address = queue == null
                    ? Optional.empty()
                    : destinations.ofOneway(
                            queue.brokerName(),
                            known -> instance.remoting().connection(known).isPresent());
            if (queue == null || address.isEmpty()) {
                drop(left, nowhereToGo(journey, queue));
                return;
            }
            journey.tries(queue);
            journey.goesTo(address.get());
            CompletableFuture<Connection> connected = instance.within(
                    unit.deadline(), instance.remoting().connect(address.get()), "connecting", journey::site);
            Completion.on(connected, (connection, refused) -> {
                if (refused != null) {
                    latencies.failed(queue.brokerName());
                    destinations.failed(address.get(), refused, unit.deadline().elapsedMs());
                    drop(left, Failures.of(refused, journey.site()));
                } else if (!connection.isWritable()) {
                    drop(left, new UnreachableException("the connection takes nothing more now", journey.site()));
                } else {
                    counters.requests.increment();
                    connection.oneway(unit.rpc(), unit.header(queue), unit.body());
                    left.complete(null);
                }
            });
        });
        return left;
    }

    /** The log gets the first of them, the second, the fourth, and so on: a broker that is gone does not fill it. */
    private void drop(CompletableFuture<Void> left, ClientException reason) {
        counters.droppedOneways.increment();
        long dropped = counters.droppedOneways.sum();
        if (Long.bitCount(dropped) == 1) {
            LOG.warn("event=oneway_dropped droppedSoFar={} reason=\"{}\"", dropped, reason.getMessage());
        }
        left.completeExceptionally(reason);
    }

    /** The route, unless the time of the unit is over before a NameServer says it. */
    private CompletableFuture<TopicRoute> routeInTime(Journey journey) {
        CompletableFuture<TopicRoute> route = instance.routes().getForPublish(journey.unit.topic(), newTopicQueues);
        if (route.isDone()) {
            return route;
        }
        return instance.within(
                journey.unit.deadline(),
                route,
                "the search for a route at " + instance.nameServers().addresses(),
                journey::site);
    }

    private static NoRouteException nowhereToGo(Journey journey, @Nullable MessageQueue queue) {
        return new NoRouteException(
                queue == null ? "topic has no writable queue" : "no address known of broker " + queue.brokerName(),
                journey.site());
    }

    private void attempt(Journey journey) {
        Outgoing unit = journey.unit;
        if (unit.deadline().isExpired()) {
            ClientException last = journey.lastFailure();
            journey.fail(
                    last != null
                            ? last
                            : new DeadlineExceededException("send deadline passed " + unit.deadline(), journey.site()));
            return;
        }
        Optional<TopicRoute> known = instance.routes().known(unit.topic());
        if (known.isPresent()) {
            transmit(journey, known.get());
            return;
        }
        Completion.on(routeInTime(journey), (route, failure) -> {
            if (failure == null) {
                transmit(journey, route);
            } else if (instance.isClosed()) {
                giveUp(journey, failure);
            } else if (isSlow(failure) && !unit.deadline().isExpired()) {
                // Nothing was sent; the time of the send is not over because that of one question is.
                journey.failedTry(Failures.of(failure, journey.site()));
                long pauseMs = Math.min(SAME_BROKER_PAUSE_MS, unit.deadline().remainingMs());
                instance.loop().after(pauseMs, () -> attempt(journey), () -> giveUp(journey, failure));
            } else {
                journey.fail(Failures.of(failure, journey.site()));
            }
        });
    }

    /** Whether a NameServer is there but was too slow, as one that has just started may be. */
    private static boolean isSlow(Throwable failure) {
        return failure instanceof NoNameServerException && failure.getCause() instanceof RemotingException.CallTimeout;
    }

    private void transmit(Journey journey, TopicRoute route) {
        Outgoing unit = journey.unit;
        MessageQueue queue = journey.queue(route, policy);
        if (queue == null) {
            refreshQuietly(unit.topic());
            journey.fail(nowhereToGo(journey, null));
            return;
        }
        journey.tries(queue);
        Optional<String> address = destinations.of(queue.brokerName());
        if (address.isEmpty()) {
            again(journey, nowhereToGo(journey, queue));
            return;
        }
        journey.goesTo(address.get());
        counters.requests.increment();
        if (journey.attempt() > 1) {
            counters.retries.increment();
        }
        CompletableFuture<Answer<SendMessageResponse>> call =
                instance.remoting().call(address.get(), unit.rpc(), unit.header(queue), unit.body(), unit.deadline());
        OpenTries.Try begun = // not before: what cannot be sent throws, and waits for nothing
                open.begin(unit.topic(), queue.brokerName(), address.get(), left -> givenUp(journey, left));
        Completion.on(call, (answer, failure) -> {
            if (!open.end(begun)) {
                return; // it is on another way now
            }
            if (failure != null) {
                latencies.failed(queue.brokerName());
                destinations.failed(begun.address(), failure, elapsedMs(begun.sentMs()));
                again(journey, Failures.of(failure, journey.site()));
            } else {
                answered(journey, queue, answer, begun);
            }
        });
    }

    private long elapsedMs(long sinceMs) {
        return instance.clock().monotonicMs() - sinceMs;
    }

    private void givenUp(Journey journey, OpenTries.Try left) {
        latencies.failed(journey.lastBroker());
        destinations.doubt(left.address());
        again(
                journey,
                new DeadlineExceededException(
                        left.address() + " did not answer within "
                                + elapsedMs(left.sentMs())
                                + " ms, and is not the master any more",
                        journey.site()));
    }

    private void answered(
            Journey journey, MessageQueue queue, Answer<SendMessageResponse> answer, OpenTries.Try begun) {
        Optional<SendStatus> status = SendStatus.of(answer.code());
        @Nullable SendMessageResponse header = answer.header();
        if (status.isPresent() && (header == null || header.msgId() == null)) {
            journey.fail(new MalformedAnswerException(
                    "the answer " + status.get() + " does not say where the message is stored", journey.site()));
            return;
        }
        if (status.isPresent() && header != null) {
            long latencyMs = elapsedMs(begun.sentMs());
            destinations.answered(begun.address());
            if (destinations.isRoundabout(queue.brokerName(), begun.address())) {
                refreshQuietly(queue.topic()); // somebody is the master by now
            }
            counters.latencyMs.add(latencyMs);
            latencies.answered(queue.brokerName(), latencyMs);
            MessageQueue storedIn = header.queueId() == queue.queueId()
                    ? queue
                    : new MessageQueue(queue.topic(), queue.brokerName(), header.queueId());
            journey.unit.stored(status.get(), storedIn, header);
            return;
        }
        if (answer.code() == ResponseCode.INVALID_PARAMETER) { // nothing is wrong with the broker
            ClientException refusal = Failures.refused(answer, false, journey.site());
            if (answer.remarkText().contains(WRONG_QUEUE)) {
                noSuchQueue(journey, queue, refusal, 1);
            } else {
                journey.fail(refusal); // a topic that cannot be made, for instance: no other queue mends that
            }
            return;
        }
        latencies.refused(queue.brokerName());
        destinations.refused(queue.brokerName(), begun.address());
        boolean retryable = SendStatus.isRetryable(answer.code());
        ClientException refusal = Failures.refused(answer, retryable, journey.site());
        if (retryable) {
            again(journey, refusal);
        } else {
            journey.fail(refusal);
        }
    }

    /**
     * A broker does not have the queue that was chosen, because the route is older than a topic that was made or shrank: looks at the
     * route anew and goes where it leads. Nothing was stored, and the try does not count as one. A queue that the caller named stays what
     * it is.
     *
     * @param looks how often the route was looked at because of this refusal, with this time
     */
    private void noSuchQueue(Journey journey, MessageQueue refused, ClientException refusal, int looks) {
        Outgoing unit = journey.unit;
        if (instance.isClosed()) {
            giveUp(journey, refusal);
            return;
        }
        if (unit.deadline().isExpired() || journey.isLost() || journey.isQueueNamed()) {
            refreshQuietly(unit.topic());
            journey.fail(refusal);
            return;
        }
        journey.failedTry(refusal);
        CompletableFuture<TopicRoute> looked =
                instance.within(unit.deadline(), instance.routes().refresh(unit.topic()), "the route", journey::site);
        Completion.on(looked, (route, failure) -> {
            TopicRoute now = failure == null
                    ? route
                    : instance.routes().known(unit.topic()).orElse(null);
            switch (now == null ? Journey.Turn.NONE : journey.turnFrom(refused, now)) {
                case ELSEWHERE -> attempt(journey);
                case WAIT ->
                    instance.loop()
                            .after(
                                    Math.min(pauseMs(looks), unit.deadline().remainingMs()),
                                    () -> noSuchQueue(journey, refused, refusal, looks + 1),
                                    () -> giveUp(journey, refusal));
                case NONE -> journey.fail(refusal);
            }
        });
    }

    private static long pauseMs(int tries) {
        return Math.min(MAX_PAUSE_MS, SAME_BROKER_PAUSE_MS * tries);
    }

    /**
     * Tries again when something is left to try, else gives the unit up with the last failure. A broker that is busy has
     * stored nothing and asks for time, so it is tried until the deadline, also for a queue the caller chose; and so are the brokers of a
     * name when one of them is not reached, for another one may be the master soon.
     */
    private void again(Journey journey, ClientException failure) {
        Outgoing unit = journey.unit;
        boolean isBusy = failure instanceof RefusedException refused && refused.code() == ResponseCode.SYSTEM_BUSY;
        boolean isAway = failure instanceof UnreachableException
                && !failure.mayHaveTakenEffect()
                && destinations.areSeveral(journey.lastBroker());
        if (isAway) {
            journey.wasAway();
        }
        boolean isTriedOut = unit.choice() != null || journey.countedTries() >= maxTries;
        if (instance.isClosed()) {
            giveUp(journey, failure);
            return;
        }
        boolean isOver = unit.deadline().isExpired()
                || failure.getCause() instanceof RemotingException.FrameTooLarge
                || failure instanceof MalformedAnswerException // it was carried out
                || (failure.mayHaveTakenEffect() && !unit.mayBeStoredTwice())
                || (isTriedOut && !isBusy && !isAway);
        if (!isBusy || destinations.areSeveral(journey.lastBroker())) {
            instance.routes().known(unit.topic()).ifPresent(route -> refreshQuietly(unit.topic()));
        }
        if (isOver) {
            journey.fail(failure);
            return;
        }
        journey.failedTry(failure);
        LOG.debug("event=send_retry attempt={} reason=\"{}\"", journey.attempt(), failure.getMessage());
        boolean mayHurry = !isTriedOut && journey.attempt() <= maxTries;
        boolean isLost = failure instanceof UnreachableException || failure instanceof DeadlineExceededException;
        if ((mayHurry && hasOtherBroker(unit.topic(), journey.lastBroker()))
                || (isLost
                        && destinations.isAnotherLeft(
                                journey.lastBroker(), failure.site().address()))) {
            attempt(journey);
        } else {
            instance.loop()
                    .after(
                            Math.min(pauseMs(journey.attempt()), unit.deadline().remainingMs()),
                            () -> attempt(journey),
                            () -> giveUp(journey, failure));
        }
    }

    /** The producer closes; what the last try came to is told as the cause. */
    private static void giveUp(Journey journey, Throwable last) {
        journey.fail(new ClosedException("the producer was closed before the send was done", journey.site(), last));
    }

    private boolean hasOtherBroker(String topic, String brokerName) {
        return instance.routes()
                .known(topic)
                .map(route -> route.publishQueues().stream()
                        .anyMatch(q -> !q.brokerName().equals(brokerName)))
                .orElse(false);
    }

    private void refreshQuietly(String topic) {
        Completion.on(instance.routes().refresh(topic), (route, failure) -> {
            if (failure != null) {
                LOG.debug("event=route_not_refreshed topic={} reason=\"{}\"", topic, failure.getMessage());
            }
        });
    }
}
