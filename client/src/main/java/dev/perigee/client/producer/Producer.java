package dev.perigee.client.producer;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.ClosedException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.instance.ClientSettings;
import dev.perigee.client.route.TopicRoute;
import dev.perigee.client.selector.MessageQueueSelector;
import dev.perigee.client.send.SendCounters;
import dev.perigee.client.send.Sender;
import dev.perigee.client.work.CallbackMark;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.client.ProducerData;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.message.UniqueId;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.call.Deadline;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;

/**
 * Sends messages. Build, {@link #start}, use from any thread, close.
 *
 * <p>Synchronous sends block until the broker answered. Asynchronous sends give a future, completed on one of the
 * producer's own threads, an event loop or the client loop, or on the calling thread when it is known at once: its
 * callbacks must not block, because answers, heartbeats and timers wait meanwhile. What they throw stays in the futures
 * that depend on them. No argument may be null. Asynchronous sends are gathered into batches by themselves. Asynchronous sends to one queue the caller
 * chose keep their order, retries included; nothing else keeps an order between calls that overlap.
 *
 * <p>A send that failed may still have stored the message, see {@link ClientException#mayHaveTakenEffect}.
 *
 * <pre>{@code
 * try (Producer producer = Producer.builder().nameServers("127.0.0.1:9876").group("orders").build()) {
 *     producer.start();
 *     SendResult sent = producer.send(Message.of("demo", "hello"));
 * }
 * }</pre>
 */
@ThreadSafe
public final class Producer implements AutoCloseable {
    private enum State {
        BUILT,
        RUNNING,
        CLOSED
    }

    private final ClientInstance instance;
    private final ProducerConfig config;
    private final MessageChecks checks;
    private final LaneParts parts;
    private final Intake intake;
    private final Admission admission;
    private final AtomicReference<State> state = new AtomicReference<>(State.BUILT);

    Producer(ClientSettings settings, ProducerConfig config, RandomGenerator random) {
        HeartbeatData heartbeat =
                new HeartbeatData(settings.clientId(), Set.of(new ProducerData(config.group())), Set.of(), 0, false);
        this.instance = new ClientInstance(settings, HandlerTable.empty(), () -> heartbeat);
        this.config = config;
        this.checks = new MessageChecks(config.maxMessageBytes());
        SendCounters counters = new SendCounters();
        Sender sender =
                new Sender(instance, counters, config.maxTries(), config.newTopicQueues(), random.nextInt(1 << 16));
        SendMemory memory = new SendMemory(config.bufferMessages(), config.bufferBytes());
        this.parts = new LaneParts(config, sender, memory, counters, new CallbackMark(), settings.clock());
        this.admission = new Admission(parts, this::whyNotRunning);
        UniqueId ids = new UniqueId(
                settings.addressBytes(),
                ProcessHandle.current().pid(),
                random.nextInt(),
                settings.clock(),
                ZoneId.systemDefault());
        this.intake = new Intake(parts, checks, admission, ids);
    }

    public static ProducerBuilder builder() {
        return new ProducerBuilder();
    }

    /** Starts the producer's threads; connections are made when they are needed. */
    public void start() {
        if (!state.compareAndSet(State.BUILT, State.RUNNING)) {
            throw new IllegalStateException("producer group=" + config.group() + " is " + state.get());
        }
        instance.start();
    }

    /**
     * Sends a message and waits for the broker's answer. Blocks up to the send timeout.
     *
     * @throws ClientException when it failed for good; the subclass says how
     */
    public SendResult send(Message message) throws ClientException {
        return await(intake.single(message, null, parts.deadline()), "send");
    }

    /** Sends a message to one queue and waits for the answer. Blocks up to the send timeout; is tried once. */
    public SendResult send(Message message, MessageQueue queue) throws ClientException {
        Objects.requireNonNull(queue, "queue");
        return await(intake.single(message, queue, parts.deadline()), "send");
    }

    /**
     * Sends a message to the queue the selector chooses and waits for the answer. Blocks up to the send timeout, the search
     * for a route included; is tried once.
     */
    public <A> SendResult send(Message message, MessageQueueSelector<A> selector, A argument) throws ClientException {
        Deadline deadline = parts.deadline();
        TopicRoute route = await(route(message.topic(), deadline), message.topic(), deadline);
        return await(intake.single(message, select(route, message, selector, argument, deadline), deadline), "send");
    }

    /**
     * Sends messages as one batch and waits for the answer: all are stored, with neighbouring offsets, or none. Blocks up
     * to the send timeout.
     */
    public SendResult send(List<Message> messages) throws ClientException {
        return await(intake.explicitBatch(messages, null), "send batch");
    }

    /** Sends messages as one batch to one queue and waits for the answer. Blocks; is tried once. */
    public SendResult send(List<Message> messages, MessageQueue queue) throws ClientException {
        Objects.requireNonNull(queue, "queue");
        return await(intake.explicitBatch(messages, queue), "send batch");
    }

    /**
     * Sends a message. Returns at once, unless the producer's memory is full and it is set to block then. The future fails
     * with a {@link ClientException}; it is never cancelled by the client.
     */
    public CompletableFuture<SendResult> sendAsync(Message message) {
        return intake.queued(message, null);
    }

    /** Sends a message to one queue, in order behind earlier asynchronous sends to it. Returns as {@link #sendAsync}. */
    public CompletableFuture<SendResult> sendAsync(Message message, MessageQueue queue) {
        Objects.requireNonNull(queue, "queue");
        return intake.queued(message, queue);
    }

    /**
     * Sends a message to the queue the selector chooses. Returns as {@link #sendAsync(Message)}; while the route is not known
     * yet it never blocks, and a full memory then fails the send. The future also fails with whatever the selector throws.
     */
    public <A> CompletableFuture<SendResult> sendAsync(Message message, MessageQueueSelector<A> selector, A argument) {
        Optional<TopicRoute> known = instance.routes().known(message.topic());
        Deadline deadline = parts.deadline();
        if (known.isPresent()) {
            return selected(known.get(), message, selector, argument, deadline);
        }
        CompletableFuture<SendResult> result = new CompletableFuture<>();
        Completion.on(route(message.topic(), deadline), (found, failure) -> {
            if (failure != null) {
                FailureSite site = FailureSite.untried(message.topic(), deadline.remainingMs());
                parts.callbacks().during(() -> result.completeExceptionally(Failures.of(failure, site)));
            } else {
                parts.callbacks().during(() -> forward(selected(found, message, selector, argument, deadline), result));
            }
        });
        return result;
    }

    /** Sends messages as one batch. The future fails with a {@link ClientException}. */
    public CompletableFuture<SendResult> sendAsync(List<Message> messages) {
        return Intake.started(() -> intake.explicitBatch(messages, null));
    }

    /**
     * Sends a message without asking for an answer: what the broker does with it is not known. Returns at once, unless the
     * producer's memory is full and it is set to block then.
     *
     * <p>A message that does not leave is counted in {@link ProducerMetrics#droppedOneways}: when that turns out only after
     * this call, for instance because a connection had to be opened first, the count and a line in the log are all there is.
     *
     * @throws ClientException when the message breaks a limit, or is known at once not to leave
     */
    public void sendOneway(Message message) throws ClientException {
        intake.oneway(message, null);
    }

    /** Sends a message to one queue without asking for an answer; otherwise as {@link #sendOneway(Message)}. */
    public void sendOneway(Message message, MessageQueue queue) throws ClientException {
        Objects.requireNonNull(queue, "queue");
        intake.oneway(message, queue);
    }

    /** The queues messages of a topic can be sent to. Blocks while the route is not known yet. */
    public List<MessageQueue> queues(String topic) throws ClientException {
        Deadline deadline = parts.deadline();
        return await(route(topic, deadline), topic, deadline).publishQueues();
    }

    /** What was done so far. */
    public ProducerMetrics metrics() {
        SendCounters counted = parts.counters();
        return new ProducerMetrics(
                counted.messages.sum(),
                counted.bytes.sum(),
                counted.stored.sum(),
                counted.failed.sum(),
                counted.requests.sum(),
                counted.retries.sum(),
                counted.latencyMs.sum(),
                counted.droppedOneways.sum() + instance.remoting().counters().droppedOneways(),
                parts.memory().usedMessages(),
                parts.memory().usedBytes());
    }

    /** The name brokers know this producer by. */
    public String clientId() {
        return instance.settings().clientId();
    }

    /** The loop of this producer, for a simulation that steps it. */
    public ClientLoop loop() {
        return instance.loop();
    }

    /**
     * Takes no further messages, waits for those on their way, at most the send timeout, and leaves. What is still on its way
     * then fails with {@link ClosedException}. Idempotent; blocks. In a callback of this producer, which runs on one of the
     * threads that would bring the answers, it does not wait for them.
     */
    @Override
    public void close() {
        State before = state.getAndSet(State.CLOSED);
        if (before == State.RUNNING
                && !parts.callbacks().isSet()
                && instance.settings().loopMode() == ClientSettings.LoopMode.OWN_THREAD) {
            parts.memory().awaitEmpty(Deadline.after(instance.clock(), config.sendTimeoutMs()));
            instance.awaitQuietly(instance.unregister(config.group(), null), ClientInstance.GOODBYE_TIMEOUT_MS);
        }
        instance.close();
    }

    private String whyNotRunning() {
        State now = state.get();
        return now == State.RUNNING
                ? ""
                : "producer group=" + config.group() + " is " + (now == State.BUILT ? "not started" : "closed");
    }

    private static SendResult await(Sending sending, String what) throws ClientException {
        return Failures.await(sending.result(), what, sending.where());
    }

    private static TopicRoute await(CompletableFuture<TopicRoute> route, String topic, Deadline deadline)
            throws ClientException {
        return Failures.await(route, "search for a route", () -> FailureSite.untried(topic, deadline.remainingMs()));
    }

    private CompletableFuture<TopicRoute> route(String topic, Deadline deadline) {
        try {
            admission.requireRunning(topic, deadline.remainingMs());
            checks.topic(topic, deadline.remainingMs());
        } catch (ClientException e) {
            return CompletableFuture.failedFuture(e);
        }
        CompletableFuture<TopicRoute> found = instance.routes().getForPublish(topic, config.newTopicQueues());
        if (found.isDone()) {
            return found;
        }
        return instance.within(
                deadline,
                found,
                "the search for a route at " + instance.nameServers().addresses(),
                () -> FailureSite.untried(topic, deadline.remainingMs()));
    }

    /** A choice made on any thread; an event loop has to be marked as such. */
    private <A> CompletableFuture<SendResult> selected(
            TopicRoute route, Message message, MessageQueueSelector<A> selector, A argument, Deadline deadline) {
        try {
            return intake.queued(message, select(route, message, selector, argument, deadline));
        } catch (ClientException | RuntimeException | Error e) { // the selector is the user's and may throw anything
            return CompletableFuture.failedFuture(e);
        }
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

    private static void forward(CompletableFuture<SendResult> from, CompletableFuture<SendResult> to) {
        Completion.on(from, (result, failure) -> {
            if (failure == null) {
                to.complete(result);
            } else {
                to.completeExceptionally(failure);
            }
        });
    }
}
