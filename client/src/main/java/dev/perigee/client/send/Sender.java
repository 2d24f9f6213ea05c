package dev.perigee.client.send;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.DeadlineExceededException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.NoNameServerException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.route.TopicRoute;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.RemotingException;
import java.util.Optional;
import java.util.Set;
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

    private static final Logger LOG = LoggerFactory.getLogger(Sender.class);
    private static final Set<Integer> RETRY_CODES = Set.of(
            ResponseCode.TOPIC_NOT_EXIST,
            ResponseCode.SERVICE_NOT_AVAILABLE,
            ResponseCode.SYSTEM_ERROR,
            ResponseCode.SYSTEM_BUSY,
            ResponseCode.NO_PERMISSION,
            ResponseCode.NO_BUYER_ID,
            ResponseCode.NOT_IN_CURRENT_UNIT,
            ResponseCode.GO_AWAY);

    private final ClientInstance instance;
    private final SendPolicy policy;
    private final LatencyTable latencies;
    private final SendCounters counters;
    private final int maxTries;
    private final int newTopicQueues;

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
    }

    /** One unit between its tries. Handed from thread to thread, never used by two at a time. */
    private static final class Journey {
        private final Outgoing unit;
        private int attempt;
        private String lastBroker = "";
        private String lastAddress = "-";
        private @Nullable ClientException lastFailure;

        Journey(Outgoing unit) {
            this.unit = unit;
        }

        FailureSite site() {
            return new FailureSite(
                    lastAddress, unit.topic(), attempt, unit.deadline().remainingMs());
        }
    }

    /** Sends a unit. Returns at once; the unit is told the outcome, mostly on an event loop. */
    public void send(Outgoing unit) {
        attempt(new Journey(unit));
    }

    /** Sends a unit without asking for an answer, once the route is known; what cannot be sent is dropped. */
    public void sendOneway(Outgoing unit) {
        Completion.on(instance.routes().getForPublish(unit.topic(), newTopicQueues), (route, failure) -> {
            MessageQueue fixed = unit.fixedQueue();
            if (failure != null || (fixed == null && route.publishQueues().isEmpty())) {
                counters.failed.increment();
                LOG.warn("event=oneway_dropped topic={} reason=\"no route\"", unit.topic());
                return;
            }
            MessageQueue queue = fixed != null ? fixed : policy.choose(route.publishQueues(), "");
            instance.routes().masterAddress(queue.brokerName()).ifPresent(address -> {
                counters.requests.increment();
                instance.remoting().oneway(address, unit.rpc(), unit.header(queue), unit.body());
            });
        });
    }

    private void attempt(Journey journey) {
        Outgoing unit = journey.unit;
        journey.attempt++;
        if (unit.deadline().isExpired()) {
            ClientException last = journey.lastFailure;
            unit.failed(
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
        Completion.on(instance.routes().getForPublish(unit.topic(), newTopicQueues), (route, failure) -> {
            if (failure == null) {
                transmit(journey, route);
            } else if (isSlow(failure) && !unit.deadline().isExpired()) {
                journey.attempt--; // nothing was sent; the time of the send is not over because one question's is
                instance.loop().after(SAME_BROKER_PAUSE_MS, () -> attempt(journey));
            } else {
                unit.failed(Failures.of(failure, journey.site()));
            }
        });
    }

    /** Whether a NameServer is there but was too slow, as one that has just started may be. */
    private static boolean isSlow(Throwable failure) {
        return failure instanceof NoNameServerException && failure.getCause() instanceof RemotingException.CallTimeout;
    }

    private void transmit(Journey journey, TopicRoute route) {
        Outgoing unit = journey.unit;
        MessageQueue fixed = unit.fixedQueue();
        if (fixed == null && route.publishQueues().isEmpty()) {
            refreshQuietly(unit.topic());
            unit.failed(new NoRouteException("topic has no writable queue", journey.site()));
            return;
        }
        MessageQueue queue = fixed != null ? fixed : policy.choose(route.publishQueues(), journey.lastBroker);
        journey.lastBroker = queue.brokerName();
        Optional<String> address = instance.routes().masterAddress(queue.brokerName());
        if (address.isEmpty()) {
            again(journey, new NoRouteException("no address known of broker " + queue.brokerName(), journey.site()));
            return;
        }
        journey.lastAddress = address.get();
        counters.requests.increment();
        if (journey.attempt > 1) {
            counters.retries.increment();
        }
        long sentMs = instance.clock().monotonicMs();
        Completion.on(
                instance.remoting().call(address.get(), unit.rpc(), unit.header(queue), unit.body(), unit.deadline()),
                (answer, failure) -> {
                    if (failure != null) {
                        latencies.failed(queue.brokerName());
                        again(journey, Failures.of(failure, journey.site()));
                    } else {
                        answered(journey, queue, answer, instance.clock().monotonicMs() - sentMs);
                    }
                });
    }

    private void answered(Journey journey, MessageQueue queue, Answer<SendMessageResponse> answer, long latencyMs) {
        Optional<SendStatus> status = SendStatus.of(answer.code());
        @Nullable SendMessageResponse header = answer.header();
        if (status.isPresent() && header != null) {
            counters.latencyMs.add(latencyMs);
            latencies.answered(queue.brokerName(), latencyMs);
            journey.unit.stored(status.get(), queue, header);
            return;
        }
        latencies.refused(queue.brokerName());
        boolean retryable = RETRY_CODES.contains(answer.code());
        ClientException refusal = Failures.refused(answer, retryable, journey.site());
        if (retryable) {
            again(journey, refusal);
        } else {
            journey.unit.failed(refusal);
        }
    }

    /**
     * Tries again when something is left to try, else gives the unit up with the last failure. A broker that is busy has
     * stored nothing and asks for time, so it is tried until the deadline, also for a queue the caller chose.
     */
    private void again(Journey journey, ClientException failure) {
        Outgoing unit = journey.unit;
        boolean isBusy = failure instanceof RefusedException refused && refused.code() == ResponseCode.SYSTEM_BUSY;
        boolean isTriedOut = unit.fixedQueue() != null || journey.attempt >= maxTries;
        boolean isOver = unit.deadline().isExpired()
                || failure.getCause() instanceof RemotingException.FrameTooLarge
                || (isTriedOut && !isBusy);
        if (!isBusy) {
            instance.routes().known(unit.topic()).ifPresent(route -> refreshQuietly(unit.topic()));
        }
        if (isOver) {
            unit.failed(failure);
            return;
        }
        journey.lastFailure = failure;
        LOG.debug("event=send_retry attempt={} reason=\"{}\"", journey.attempt, failure.getMessage());
        if (!isTriedOut && hasOtherBroker(unit.topic(), journey.lastBroker)) {
            attempt(journey);
        } else {
            long pauseMs = Math.min(MAX_PAUSE_MS, SAME_BROKER_PAUSE_MS * journey.attempt);
            instance.loop().after(Math.min(pauseMs, unit.deadline().remainingMs()), () -> attempt(journey));
        }
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
