package dev.perigee.client.consumer;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.instance.ClientSettings;
import dev.perigee.client.queue.FilterCheck;
import dev.perigee.client.queue.TopicFilter;
import dev.perigee.client.trace.TraceMetrics;
import dev.perigee.client.trace.TraceWriter;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.topic.TopicName;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Consumes messages by calling a listener: pulls ahead within limits, shares queues with the other members of the group,
 * commits what is done. A message may come again after a crash, a rebalance or a failure; none is lost.
 *
 * <pre>{@code
 * PushConsumer consumer = PushConsumer.builder()
 *         .nameServers("127.0.0.1:9876")
 *         .group("billing")
 *         .subscribe("demo", "TagA || TagB")
 *         .listener(messages -> ConsumeResult.SUCCESS)
 *         .build();
 * consumer.start();
 * }</pre>
 */
@ThreadSafe
public final class PushConsumer implements AutoCloseable {
    /** Time between two commits. */
    static final long PERSIST_MS = 5_000;

    private static final Logger LOG = LoggerFactory.getLogger(PushConsumer.class);

    private enum State {
        BUILT,
        RUNNING,
        CLOSED
    }

    private final PushConsumerWiring parts;
    private final ClientInstance instance;
    private final @Nullable TraceWriter trace;
    private final AtomicReference<State> state = new AtomicReference<>(State.BUILT);
    private final CompletableFuture<Void> left = new CompletableFuture<>();

    PushConsumer(PushConsumerWiring parts, @Nullable TraceWriter trace) {
        this.parts = parts;
        this.trace = trace;
        this.instance = parts.instance;
        instance.routes().onChange(route -> {
            if (state.get() == State.RUNNING
                    && parts.subscriptions.of(route.topic()).isPresent()) {
                instance.loop().execute(parts.rebalance::start);
            }
        });
    }

    public static PushConsumerBuilder builder() {
        return new PushConsumerBuilder();
    }

    /**
     * Starts consuming. When this returns, the brokers know the subscription, and a new group's position is fixed: messages
     * sent from now on will arrive. A topic that does not exist yet is no failure, nor is a broker that does not answer: the
     * start goes on without it, and its queues join when it answers. Of those, a group that begins at the end gets what was
     * sent since the start, found by its time. Blocks at most four call timeouts, 12 s by default.
     *
     * @throws ClientException when no NameServer answers, or when a broker does not understand a filter
     */
    public void start() throws ClientException {
        Failures.await(
                startAsync(), "start of consumer " + parts.config.group(), instance.callBegins(FailureSite.NONE));
    }

    /** As {@link #start}, without waiting. */
    public CompletableFuture<Void> startAsync() {
        if (!state.compareAndSet(State.BUILT, State.RUNNING)) {
            throw new IllegalStateException("consumer group=" + parts.config.group() + " is " + state.get());
        }
        instance.start();
        if (trace != null) {
            trace.start();
        }
        instance.loop().every(PERSIST_MS, PERSIST_MS, () -> Completion.unawaited(parts.assignments.persist()));
        return parts.offsets.open().thenCompose(ignored -> findRoutes()).thenCompose(ignored -> joined(checkFilters()));
    }

    /** Completes when the brokers know this consumer and its queues have begun; brokers that do not answer are not awaited. */
    private CompletableFuture<Void> joined(CompletableFuture<Void> checks) {
        return instance.withinStart(
                parts.config.group(),
                checks.thenCompose(checked -> announce()),
                () -> parts.assignments.startEnded(parts.subscriptions.topics()));
    }

    /** Completes when every subscribed topic has a route or is known to have none. */
    private CompletableFuture<Void> findRoutes() {
        CompletableFuture<?>[] routes =
                parts.subscriptions.topics().stream().map(this::findRoute).toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(routes);
    }

    private CompletableFuture<Void> findRoute(String topic) {
        CompletableFuture<Void> known = new CompletableFuture<>();
        Completion.on(instance.routes().get(topic), (route, failure) -> {
            if (failure == null) {
                known.complete(null);
            } else if (failure instanceof NoRouteException) {
                if (!TopicName.isRetry(topic)) {
                    LOG.warn("event=subscribed_topic_missing topic={} group={}", topic, parts.config.group());
                }
                known.complete(null);
            } else {
                known.completeExceptionally(failure);
            }
        });
        return known;
    }

    private CompletableFuture<Void> checkFilters() {
        return checkFilters(subscription -> true);
    }

    private CompletableFuture<Void> checkFilters(String topic) {
        return checkFilters(subscription -> subscription.topic().equals(topic));
    }

    private CompletableFuture<Void> checkFilters(Predicate<SubscriptionData> which) {
        FilterCheck check = new FilterCheck(instance);
        return CompletableFuture.allOf(parts.subscriptions.all().stream()
                .filter(which)
                .map(subscription -> check.check(parts.config.group(), subscription))
                .toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Void> announce() {
        return instance.heartbeats().beatAll().thenCompose(ignored -> onLoop(parts.rebalance::round));
    }

    private CompletableFuture<Void> onLoop(Supplier<CompletableFuture<Void>> task) {
        return instance.loop().ask(task, instance.callBegins(FailureSite.NONE));
    }

    /**
     * Subscribes to one more topic, or to other tags of one. Tags are joined by {@code ||}; {@code *} is all. Blocks while
     * the brokers are told, when the consumer is running; at most as long as {@link #start}.
     *
     * @throws IllegalArgumentException when the topic cannot be subscribed or the expression holds no tag
     */
    public void subscribe(String topic, String expression) throws ClientException {
        subscribe(topic, TopicFilter.tags(expression));
    }

    /**
     * As {@link #subscribe(String, String)}, with any kind of filter. A topic whose filter the brokers do not understand is
     * not subscribed any more.
     *
     * @throws dev.perigee.client.error.RefusedException when a broker does not understand the filter, with its reason
     */
    public void subscribe(String topic, TopicFilter filter) throws ClientException {
        parts.subscriptions.put(topic, filter);
        if (state.get() != State.RUNNING) {
            return;
        }
        CompletableFuture<Void> told = findRoutes().thenCompose(ignored -> joined(checkFilters(topic)));
        try {
            Failures.await(told, "subscription", instance.callBegins(topic));
        } catch (RefusedException e) {
            unsubscribe(topic);
            throw e;
        }
    }

    /** Gives a topic up: commits its positions and tells the brokers. */
    public void unsubscribe(String topic) {
        parts.subscriptions.remove(topic);
        instance.loop().execute(() -> {
            parts.assignments.dropTopic(topic);
            instance.heartbeats().beatSoon();
        });
    }

    /** Stops pulling; the listener goes on with what is here already. */
    public void suspend() {
        instance.loop().execute(parts.assignments::suspend);
    }

    /** Pulls again after {@link #suspend}. */
    public void resume() {
        instance.loop().execute(parts.assignments::resume);
    }

    /** What was done so far. Completed on the client loop; fails when the consumer is closed. */
    public CompletableFuture<ConsumerMetrics> metrics() {
        return instance.loop()
                .ask(
                        () -> CompletableFuture.completedFuture(
                                parts.assignments.metrics(parts.listener.calls().count())),
                        instance.callBegins(FailureSite.NONE));
    }

    /** What became of the trace notes; all 0 unless messages are traced. */
    public TraceMetrics traceMetrics() {
        return trace == null ? TraceMetrics.NONE : trace.metrics();
    }

    /** The name brokers know this consumer by. */
    public String clientId() {
        return instance.settings().clientId();
    }

    /** The loop of this consumer, for a simulation that steps it. */
    public ClientLoop loop() {
        return instance.loop();
    }

    /**
     * Stops pulling, lets listener calls under way end (at most the close timeout), commits, gives locks back, tells the
     * brokers and leaves. What was pulled and not begun comes again to the next owner. A listener may call it; its own call
     * is not waited for then, and its messages come again. Idempotent; blocks.
     */
    @Override
    public void close() {
        if (instance.settings().loopMode() == ClientSettings.LoopMode.OWN_THREAD) {
            long limitMs = parts.config.closeTimeoutMs()
                    + FailedMessages.SEND_BACK_TIMEOUT_MS
                    + 3 * ClientInstance.GOODBYE_TIMEOUT_MS;
            instance.awaitQuietly(closeAsync(), limitMs);
        }
        state.set(State.CLOSED);
        parts.threads.close();
        parts.offsets.close();
        instance.close();
        if (trace != null) {
            trace.close();
        }
        left.complete(null);
    }

    /**
     * Leaves the group as {@link #close} does, without waiting, and without ending connections and threads; {@link #close}
     * has to follow. Idempotent: every call gives the same future, which never fails.
     */
    public CompletableFuture<Void> closeAsync() {
        State before = state.getAndSet(State.CLOSED);
        if (before == State.BUILT) {
            left.complete(null);
        } else if (before == State.RUNNING) {
            boolean isFromListener = parts.listener.isOnCall();
            Completion.on(
                    onLoop(this::freeze)
                            .thenCompose(ignored -> isFromListener ? ownCallGoesOn() : callsEnded())
                            .thenCompose(ignored -> onLoop(parts.failed.open()::idle))
                            .thenCompose(ignored -> onLoop(this::leave)),
                    (ignored, failure) -> {
                        LOG.info("event=consumer_closed group={} clientId={}", parts.config.group(), clientId());
                        left.complete(null);
                    });
        }
        return left;
    }

    private CompletableFuture<Void> freeze() {
        parts.rebalance.stop();
        parts.assignments.freeze();
        return CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<Void> ownCallGoesOn() {
        LOG.warn(
                "event=closed_by_listener group={} calls={}",
                parts.config.group(),
                parts.listener.calls().count());
        return CompletableFuture.completedFuture(null);
    }

    /** Completes when no listener call is under way, or when the close timeout is over. */
    private CompletableFuture<Void> callsEnded() {
        CompletableFuture<Void> over = new CompletableFuture<>();
        Completion.on(parts.listener.calls().idle(), (ignored, never) -> over.complete(null));
        if (!over.isDone()) {
            long limitMs = parts.config.closeTimeoutMs();
            instance.loop().after(limitMs, () -> giveUp(over, limitMs));
        }
        return over;
    }

    private void giveUp(CompletableFuture<Void> over, long waitedMs) {
        int calls = parts.listener.calls().count();
        if (!over.isDone()) {
            parts.threads.giveUp(parts.config.group(), calls, waitedMs);
            over.complete(null);
        }
    }

    private CompletableFuture<Void> leave() {
        return parts.assignments
                .persist()
                .thenCompose(ignored -> onLoop(parts.assignments.work()::leave))
                .thenCompose(ignored -> {
                    parts.left();
                    return instance.unregister(null, parts.config.group());
                });
    }
}
