package dev.perigee.client.pull;

import dev.perigee.client.codec.MessageReader;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.ClosedException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.InterruptedCallException;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.instance.ClientSettings;
import dev.perigee.client.queue.BrokerOffsets;
import dev.perigee.client.queue.FlowGate;
import dev.perigee.client.queue.PullCalls;
import dev.perigee.client.queue.PullStyle;
import dev.perigee.client.queue.Pulled;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.client.queue.Rebalance;
import dev.perigee.client.queue.StartPosition;
import dev.perigee.client.queue.Subscriptions;
import dev.perigee.client.queue.TopicLimits;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.call.Deadline;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Consumes messages by polling, at the user's pace. Queues come either from subscriptions, shared with the other members of
 * the group, or are assigned by hand. Messages are read ahead in the background, within limits.
 *
 * <p>Messages of one poll count as consumed at the next poll, at {@link #commit} and at {@link #close}; a crash before
 * repeats them. {@link #poll} is for one thread at a time; everything else may be called from any thread.
 *
 * <pre>{@code
 * PullConsumer consumer = PullConsumer.builder().nameServers("127.0.0.1:9876").group("audit").build();
 * consumer.subscribe("demo", "*");
 * consumer.start();
 * List<MessageExt> messages = consumer.poll(5_000);
 * }</pre>
 */
@ThreadSafe
public final class PullConsumer implements AutoCloseable {
    private enum State {
        BUILT,
        RUNNING,
        CLOSED
    }

    private final PullConfig config;
    private final ClientInstance instance;
    private final Subscriptions subscriptions;
    private final BrokerOffsets offsets;
    private final StartPosition start;
    private final PullCalls calls;
    private final LiteQueues queues;
    private final Rebalance rebalance;
    private final AtomicReference<State> state = new AtomicReference<>(State.BUILT);
    private volatile boolean isAssignedByHand;
    private volatile Set<MessageQueue> byHand = Set.of();
    private LiteQueues.@Nullable Fetched polled;

    PullConsumer(ClientSettings settings, PullConfig config) {
        this.config = config;
        this.subscriptions = new Subscriptions(settings.clock());
        HandlerTable handlers = HandlerTable.builder()
                .on(Rpcs.NOTIFY_CONSUMER_IDS_CHANGED, (request, reply) -> {
                    membersChanged();
                    reply.ok(NoHeader.NONE);
                })
                .build();
        this.instance = new ClientInstance(settings, handlers, this::heartbeat);
        this.offsets = new BrokerOffsets(instance, config.group(), null);
        this.start = new StartPosition(instance, offsets, config.from());
        PullStyle style = new PullStyle(
                PullStyle.Kind.LITE_PULL,
                config.pullBatchSize(),
                PullStyle.DEFAULT_MAX_BYTES,
                PullStyle.LITE_SUSPEND_MS,
                PullStyle.PULL_TIMEOUT_MS);
        this.calls = new PullCalls(instance, config.group(), style, new MessageReader());
        this.queues = new LiteQueues(instance, offsets, start, this::pullerParts, this::retrySoon);
        this.rebalance = new Rebalance(new Rebalance.Parts(
                instance,
                config.group(),
                Rebalance.Sharing.AMONG_MEMBERS,
                config.strategy(),
                () -> isAssignedByHand ? Set.of() : subscriptions.topics(),
                queues));
    }

    public static PullConsumerBuilder builder() {
        return new PullConsumerBuilder();
    }

    private QueuePuller.Parts pullerParts(QueuePuller.Sink sink) {
        FlowGate gate = new FlowGate(config.limits(), TopicLimits.OFF);
        return new QueuePuller.Parts(calls, subscriptions, gate, instance.loop(), instance.clock(), sink);
    }

    private HeartbeatData heartbeat() {
        ConsumerData consumer = new ConsumerData(
                config.group(),
                ConsumeType.CONSUME_ACTIVELY,
                MessageModel.CLUSTERING,
                config.from().onTheWire(),
                new LinkedHashSet<>(subscriptions.all()),
                false);
        return new HeartbeatData(instance.settings().clientId(), Set.of(), Set.of(consumer), 0, false);
    }

    private void membersChanged() {
        instance.loop().execute(rebalance::start);
    }

    private void retrySoon() {
        instance.loop().after(Rebalance.RETRY_MS, () -> {
            if (isAssignedByHand) {
                Completion.unawaited(queues.assignExactly(byHand));
            } else {
                rebalance.start();
            }
        });
    }

    /** Starts; subscribed queues are shared out when this returns. Blocks up to a few seconds. */
    public void start() throws ClientException {
        Failures.await(startAsync(), "start of consumer " + config.group(), instance.callBegins(FailureSite.NONE));
    }

    /** As {@link #start}, without waiting. */
    public CompletableFuture<Void> startAsync() {
        if (!state.compareAndSet(State.BUILT, State.RUNNING)) {
            throw new IllegalStateException("consumer group=" + config.group() + " is " + state.get());
        }
        instance.start();
        if (config.autoCommitMs() > 0) {
            instance.loop()
                    .every(config.autoCommitMs(), config.autoCommitMs(), () -> Completion.unawaited(queues.persist()));
        }
        return refresh();
    }

    /** Subscribes to a topic: {@code *} for all, otherwise tags joined by {@code ||}. Ends an assignment by hand. */
    public void subscribe(String topic, String expression) throws ClientException {
        subscriptions.put(topic, expression);
        isAssignedByHand = false;
        if (state.get() == State.RUNNING) {
            Failures.await(refresh(), "subscription", instance.callBegins(topic));
        }
    }

    /** Gives a topic up. */
    public void unsubscribe(String topic) {
        subscriptions.remove(topic);
        instance.loop().execute(() -> Completion.unawaited(queues.assign(topic, Set.of())));
    }

    /** Reads exactly these queues from now on, whoever else reads them; ends subscriptions. Blocks until they have begun. */
    public void assign(Collection<MessageQueue> assigned) throws ClientException {
        Set<MessageQueue> exactly = Set.copyOf(assigned);
        Set<String> topics = exactly.stream().map(MessageQueue::topic).collect(Collectors.toSet());
        for (String topic : subscriptions.topics()) {
            if (!topics.contains(topic)) {
                subscriptions.remove(topic);
            }
        }
        for (String topic : topics) {
            if (subscriptions.of(topic).isEmpty()) {
                subscriptions.put(topic, SubscriptionData.ALL);
            }
        }
        byHand = exactly;
        isAssignedByHand = true;
        if (state.get() == State.RUNNING) {
            Failures.await(refresh(), "assignment", instance.callBegins(FailureSite.NONE));
        }
    }

    private CompletableFuture<Void> refresh() {
        CompletableFuture<?>[] routes = subscriptions.topics().stream()
                .map(topic -> instance.routes().get(topic))
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(routes)
                .thenCompose(ignored -> instance.heartbeats().beatAll())
                .thenCompose(
                        ignored -> onLoop(() -> isAssignedByHand ? queues.assignExactly(byHand) : rebalance.round()));
    }

    private CompletableFuture<Void> onLoop(Supplier<CompletableFuture<Void>> task) {
        return instance.loop().ask(task, instance.callBegins(FailureSite.NONE));
    }

    private <T> T onLoopBlocking(Supplier<T> task, String what) throws ClientException {
        if (state.get() != State.RUNNING) {
            throw new ClosedException(
                    "pull consumer group=" + config.group() + " is " + state.get(),
                    FailureSite.untried(FailureSite.NONE, instance.settings().callTimeoutMs()));
        }
        Supplier<FailureSite> where = instance.callBegins(FailureSite.NONE);
        return Failures.await(
                instance.loop().ask(() -> CompletableFuture.completedFuture(task.get()), where), what, where);
    }

    /**
     * The next messages of some queue, at most as many as the pull batch size; empty when none came in time. Blocks up to
     * the timeout. Counts the messages of the poll before as consumed.
     */
    public List<MessageExt> poll(long timeoutMs) throws ClientException {
        if (state.get() != State.RUNNING) {
            throw new ClosedException(
                    "pull consumer group=" + config.group() + " is " + state.get(),
                    FailureSite.untried(FailureSite.NONE, Math.max(0, timeoutMs)));
        }
        finishPolled();
        Deadline deadline = Deadline.after(instance.clock(), timeoutMs);
        try {
            while (true) {
                LiteQueues.Fetched next = timeoutMs <= 0
                        ? queues.fetched().poll()
                        : queues.fetched().poll(deadline.remainingMs(), TimeUnit.MILLISECONDS);
                if (next == null) {
                    return List.of();
                }
                if (!next.isVoid()) {
                    polled = next;
                    return next.messages();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedCallException(
                    "interrupted during poll", FailureSite.untried(FailureSite.NONE, deadline.remainingMs()), e);
        }
    }

    private void finishPolled() {
        LiteQueues.Fetched before = polled;
        if (before != null) {
            polled = null;
            instance.loop().execute(() -> queues.finish(before));
        }
    }

    /** The queues read right now. */
    public Set<MessageQueue> assignment() throws ClientException {
        return onLoopBlocking(queues::owned, "assignment");
    }

    /**
     * Goes on from another offset; messages read ahead are dropped. Blocks for a moment.
     *
     * @throws IllegalArgumentException when the queue is not read by this consumer
     */
    public void seek(MessageQueue queue, long offset) throws ClientException {
        if (!onLoopBlocking(() -> queues.seek(queue, offset), "seek")) {
            throw new IllegalArgumentException(queue + " is not read by this consumer");
        }
    }

    /** Goes on from the first message. */
    public void seekToBegin(MessageQueue queue) throws ClientException {
        seek(queue, minOffset(queue));
    }

    /** Goes on behind the last message. */
    public void seekToEnd(MessageQueue queue) throws ClientException {
        seek(queue, maxOffset(queue));
    }

    /** Goes on from the first message stored at that time or later, milliseconds since 1970. */
    public void seekToTime(MessageQueue queue, long timestampMs) throws ClientException {
        seek(queue, offsetAt(queue, timestampMs));
    }

    /** The first offset of a queue. Blocks. */
    public long minOffset(MessageQueue queue) throws ClientException {
        return ask(queue, start::begin);
    }

    /** The end of a queue. Blocks. */
    public long maxOffset(MessageQueue queue) throws ClientException {
        return ask(queue, start::end);
    }

    /** The offset of the first message stored at that time or later. Blocks. */
    public long offsetAt(MessageQueue queue, long timestampMs) throws ClientException {
        return ask(queue, known -> start.at(known, timestampMs));
    }

    /** Asks the broker of a queue something, once its route is known. */
    private long ask(MessageQueue queue, Function<MessageQueue, CompletableFuture<Long>> question)
            throws ClientException {
        return Failures.await(
                instance.routes().get(queue.topic()).thenCompose(route -> question.apply(queue)),
                "offset of " + queue,
                instance.callBegins(queue.topic()));
    }

    /** Stops reading these queues ahead; what is here already is still polled. */
    public void pause(Collection<MessageQueue> paused) {
        List<MessageQueue> these = List.copyOf(paused);
        instance.loop().execute(() -> queues.pause(these));
    }

    /** Reads these queues again. */
    public void resume(Collection<MessageQueue> resumed) {
        List<MessageQueue> these = List.copyOf(resumed);
        instance.loop().execute(() -> queues.resume(these));
    }

    /** The next offset to be polled, if the queue is read by this consumer. Blocks for a moment. */
    public OptionalLong position(MessageQueue queue) throws ClientException {
        long position = onLoopBlocking(() -> queues.position(queue), "position");
        return position < 0 ? OptionalLong.empty() : OptionalLong.of(position);
    }

    /** The position the broker has for this group, if any. Blocks. */
    public OptionalLong committed(MessageQueue queue) throws ClientException {
        long stored = ask(queue, offsets::read);
        return stored < 0 ? OptionalLong.empty() : OptionalLong.of(stored);
    }

    /** Counts everything polled as consumed and commits it. Blocks until the brokers answered. */
    public void commit() throws ClientException {
        finishPolled();
        Failures.await(onLoop(queues::persist), "commit", instance.callBegins(FailureSite.NONE));
    }

    /** The queues of a topic. Blocks. */
    public List<MessageQueue> queues(String topic) throws ClientException {
        return Failures.await(instance.routes().get(topic), "search for a route", instance.callBegins(topic))
                .subscribeQueues();
    }

    /** Reads a queue at once, apart from subscriptions and positions; {@code *} or tags joined by {@code ||}. Blocks. */
    public Pulled pull(MessageQueue queue, String expression, long offset, int max) throws ClientException {
        return Failures.await(pullAsync(queue, expression, offset, max), "pull", instance.callBegins(queue.topic()));
    }

    /** As {@link #pull}, without waiting; completed on an event loop. */
    public CompletableFuture<Pulled> pullAsync(MessageQueue queue, String expression, long offset, int max) {
        SubscriptionData subscription = SubscriptionData.ofTags(
                queue.topic(), expression, instance.clock().wallMs());
        return instance.routes()
                .get(queue.topic())
                .thenCompose(route -> calls.pullNow(new PullCalls.Ask(queue, offset, 0, 0, subscription, max)));
    }

    /** The name brokers know this consumer by. */
    public String clientId() {
        return instance.settings().clientId();
    }

    /** The loop of this consumer, for a simulation that steps it. */
    public ClientLoop loop() {
        return instance.loop();
    }

    /** Stops reading, commits what was polled, tells the brokers and leaves. Idempotent; blocks. */
    @Override
    public void close() {
        State before = state.getAndSet(State.CLOSED);
        if (before == State.RUNNING && instance.settings().loopMode() == ClientSettings.LoopMode.OWN_THREAD) {
            finishPolled();
            instance.awaitQuietly(onLoop(this::leave), 3 * ClientInstance.GOODBYE_TIMEOUT_MS);
        }
        instance.close();
    }

    private CompletableFuture<Void> leave() {
        rebalance.stop();
        queues.freeze();
        CompletableFuture<Void> committed =
                config.autoCommitMs() > 0 ? queues.persist() : CompletableFuture.completedFuture(null);
        return committed.thenCompose(ignored -> instance.unregister(null, config.group()));
    }
}
