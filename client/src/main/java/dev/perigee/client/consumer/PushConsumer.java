package dev.perigee.client.consumer;

import dev.perigee.client.codec.MessageReader;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.instance.ClientSettings;
import dev.perigee.client.queue.BrokerOffsets;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.queue.FileOffsets;
import dev.perigee.client.queue.FlowGate;
import dev.perigee.client.queue.OffsetStore;
import dev.perigee.client.queue.PullCalls;
import dev.perigee.client.queue.PullStyle;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.client.queue.Rebalance;
import dev.perigee.client.queue.StartPosition;
import dev.perigee.client.queue.Subscriptions;
import dev.perigee.client.queue.TopicLimits;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.client.ProducerData;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.GroupName;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.topic.TopicName;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
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

    private final PushConfig config;
    private final ClientInstance instance;
    private final Subscriptions subscriptions;
    private final ListenerThreads threads;
    private final OffsetStore offsets;
    private final PushAssignments assignments;
    private final Rebalance rebalance;
    private final AtomicReference<State> state = new AtomicReference<>(State.BUILT);

    PushConsumer(ClientSettings settings, PushConfig config, Listeners listener, ListenerThreads threads) {
        this.config = config;
        this.threads = threads;
        this.subscriptions = new Subscriptions(settings.clock());
        listener.subscriptions().forEach(subscriptions::put);
        if (config.model() == MessageModel.CLUSTERING) {
            subscriptions.put(TopicName.retry(config.group()), "*");
        }
        BrokerRequests requests = new BrokerRequests();
        this.instance = new ClientInstance(settings, requests.table(), this::heartbeat);
        ConsumeCounters counters = new ConsumeCounters();
        this.offsets = offsetStore();
        this.assignments = new PushAssignments(
                instance,
                offsets,
                new StartPosition(instance, offsets, config.from()),
                counters,
                this::pullerParts,
                owner -> work(owner, listener, counters),
                this::rebalanceSoon);
        this.rebalance = new Rebalance(new Rebalance.Parts(
                instance,
                config.group(),
                config.model() == MessageModel.CLUSTERING
                        ? Rebalance.Sharing.AMONG_MEMBERS
                        : Rebalance.Sharing.EVERYTHING_TO_ALL,
                config.strategy(),
                subscriptions::topics,
                assignments));
        RunningInfo info = new RunningInfo(instance, config, subscriptions, assignments, counters);
        requests.bind(new BrokerRequests.Consumer(
                config.group(), instance, assignments, rebalance, info, threads.executor()));
        instance.routes().onChange(route -> {
            if (state.get() == State.RUNNING && subscriptions.of(route.topic()).isPresent()) {
                instance.loop().execute(rebalance::start);
            }
        });
    }

    public static PushConsumerBuilder builder() {
        return new PushConsumerBuilder();
    }

    private OffsetStore offsetStore() {
        if (config.model() == MessageModel.BROADCASTING) {
            String clientId = instance.settings().clientId();
            return instance.settings().loopMode() == ClientSettings.LoopMode.STEPPED
                    ? new FileOffsets(config.offsetFolder(), clientId, config.group(), instance.loop())
                    : FileOffsets.onOwnThread(config.offsetFolder(), clientId, config.group());
        }
        // A time asked for shall count even in a young queue, where a stock broker answers 0 unless told not to.
        boolean byTime = config.from().kind() == ConsumeFrom.Kind.TIMESTAMP;
        return new BrokerOffsets(instance, config.group(), byTime ? Boolean.FALSE : null);
    }

    private QueuePuller.Parts pullerParts(QueuePuller.Sink sink) {
        PullStyle style = new PullStyle(
                config.model() == MessageModel.CLUSTERING
                        ? PullStyle.Kind.PUSH_CLUSTERING
                        : PullStyle.Kind.PUSH_BROADCASTING,
                config.pullBatchSize(),
                PullStyle.DEFAULT_MAX_BYTES,
                PullStyle.PUSH_SUSPEND_MS,
                PullStyle.PULL_TIMEOUT_MS);
        PullCalls calls = new PullCalls(instance, config.group(), style, new MessageReader());
        FlowGate gate = new FlowGate(config.limits(), TopicLimits.OFF);
        return new QueuePuller.Parts(calls, subscriptions, gate, instance.loop(), instance.clock(), sink);
    }

    private PushWork work(PushAssignments owner, Listeners listener, ConsumeCounters counters) {
        ListenerRun run = new ListenerRun(listener.body(), config.group(), instance.clock(), counters);
        int retries = config.maxReconsumeTimes() >= 0
                ? config.maxReconsumeTimes()
                : listener.isOrderly() ? Integer.MAX_VALUE : PushConfig.DEFAULT_MAX_RECONSUME_TIMES;
        FailedMessages failed = new FailedMessages(instance, config.group(), retries, counters);
        if (!listener.isOrderly()) {
            return new ConcurrentWork(owner, config, run, failed, threads.executor(), instance.loop());
        }
        QueueLocks locks = new QueueLocks(instance, config.group());
        OrderlyWork orderly = new OrderlyWork(owner, config, run, failed, locks, threads.executor(), instance.loop());
        instance.loop().every(QueueLocks.RENEW_MS, QueueLocks.RENEW_MS, orderly::renewLocks);
        return orderly;
    }

    private HeartbeatData heartbeat() {
        ConsumerData consumer = new ConsumerData(
                config.group(),
                ConsumeType.CONSUME_PASSIVELY,
                config.model(),
                config.from().onTheWire(),
                new LinkedHashSet<>(subscriptions.all()),
                false);
        return new HeartbeatData(
                instance.settings().clientId(),
                Set.of(new ProducerData(GroupName.INNER_PRODUCER)),
                Set.of(consumer),
                0,
                false);
    }

    private void rebalanceSoon() {
        rebalance.retrySoon();
    }

    /**
     * Starts consuming. When this returns, the brokers know the subscription, and a new group's position is fixed: messages
     * sent from now on will arrive. Blocks up to a few seconds. A topic that does not exist yet is no failure.
     *
     * @throws ClientException when no NameServer answers
     */
    public void start() throws ClientException {
        Failures.await(startAsync(), "start of consumer " + config.group(), instance.callBegins(FailureSite.NONE));
    }

    /** As {@link #start}, without waiting. */
    public CompletableFuture<Void> startAsync() {
        if (!state.compareAndSet(State.BUILT, State.RUNNING)) {
            throw new IllegalStateException("consumer group=" + config.group() + " is " + state.get());
        }
        instance.start();
        instance.loop().every(PERSIST_MS, PERSIST_MS, () -> Completion.unawaited(assignments.persist()));
        return offsets.open().thenCompose(ignored -> findRoutes()).thenCompose(ignored -> announce());
    }

    /** Completes when every subscribed topic has a route or is known to have none. */
    private CompletableFuture<Void> findRoutes() {
        CompletableFuture<?>[] routes =
                subscriptions.topics().stream().map(this::findRoute).toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(routes);
    }

    private CompletableFuture<Void> findRoute(String topic) {
        CompletableFuture<Void> known = new CompletableFuture<>();
        Completion.on(instance.routes().get(topic), (route, failure) -> {
            if (failure == null) {
                known.complete(null);
            } else if (failure instanceof NoRouteException) {
                if (!TopicName.isRetry(topic)) {
                    LOG.warn("event=subscribed_topic_missing topic={} group={}", topic, config.group());
                }
                known.complete(null);
            } else {
                known.completeExceptionally(failure);
            }
        });
        return known;
    }

    private CompletableFuture<Void> announce() {
        return instance.heartbeats().beatAll().thenCompose(ignored -> onLoop(rebalance::round));
    }

    private CompletableFuture<Void> onLoop(Supplier<CompletableFuture<Void>> task) {
        return instance.loop().ask(task, instance.callBegins(FailureSite.NONE));
    }

    /**
     * Subscribes to one more topic, or to other tags of one. Tags are joined by {@code ||}; {@code *} is all. Blocks while
     * the brokers are told, when the consumer is running.
     *
     * @throws IllegalArgumentException when the expression holds no tag
     */
    public void subscribe(String topic, String expression) throws ClientException {
        subscriptions.put(topic, expression);
        if (state.get() == State.RUNNING) {
            Failures.await(findRoutes().thenCompose(ignored -> announce()), "subscription", instance.callBegins(topic));
        }
    }

    /** Gives a topic up: commits its positions and tells the brokers. */
    public void unsubscribe(String topic) {
        subscriptions.remove(topic);
        instance.loop().execute(() -> {
            assignments.dropTopic(topic);
            instance.heartbeats().beatSoon();
        });
    }

    /** Stops pulling; the listener goes on with what is here already. */
    public void suspend() {
        instance.loop().execute(assignments::suspend);
    }

    /** Pulls again after {@link #suspend}. */
    public void resume() {
        instance.loop().execute(assignments::resume);
    }

    /** What was done so far. Completed on the client loop; fails when the consumer is closed. */
    public CompletableFuture<ConsumerMetrics> metrics() {
        return instance.loop()
                .ask(
                        () -> CompletableFuture.completedFuture(assignments.metrics()),
                        instance.callBegins(FailureSite.NONE));
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
     * Stops pulling, lets listener calls under way end (at most the close timeout), commits, tells the brokers and leaves.
     * What was pulled and not begun comes again to the next owner. Idempotent; blocks.
     */
    @Override
    public void close() {
        State before = state.getAndSet(State.CLOSED);
        if (before == State.RUNNING) {
            if (instance.settings().loopMode() == ClientSettings.LoopMode.OWN_THREAD) {
                instance.awaitQuietly(onLoop(this::freeze), ClientInstance.GOODBYE_TIMEOUT_MS);
                threads.close(config.closeTimeoutMs());
                instance.awaitQuietly(onLoop(this::leave), 3 * ClientInstance.GOODBYE_TIMEOUT_MS);
            }
            LOG.info("event=consumer_closed group={} clientId={}", config.group(), clientId());
        }
        threads.close(0);
        offsets.close();
        instance.close();
    }

    private CompletableFuture<Void> freeze() {
        rebalance.stop();
        assignments.freeze();
        return CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<Void> leave() {
        return assignments
                .persist()
                .thenCompose(ignored -> assignments.work().leave())
                .thenCompose(ignored -> instance.unregister(null, config.group()));
    }
}
