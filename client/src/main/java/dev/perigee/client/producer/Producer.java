package dev.perigee.client.producer;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.ClosedException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.InterruptedCallException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.instance.ClientSettings;
import dev.perigee.client.route.TopicRoute;
import dev.perigee.client.send.SendCounters;
import dev.perigee.client.send.Sender;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages. Build, {@link #start}, use from any thread, close.
 *
 * <p>Synchronous sends block until the broker answered. Asynchronous sends give a future, completed on an event loop:
 * its callbacks must not block. They are gathered into batches by themselves. Asynchronous sends to one queue the caller
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
    private final UniqueId ids;
    private final ConcurrentMap<SendLane.Key, SendLane> lanes = new ConcurrentHashMap<>();
    private volatile State state = State.BUILT;

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
        this.ids = new UniqueId(
                settings.addressBytes(),
                ProcessHandle.current().pid(),
                random.nextInt(),
                settings.clock(),
                ZoneId.systemDefault());
    }

    public static ProducerBuilder builder() {
        return new ProducerBuilder();
    }

    /** Starts the producer's threads; connections are made when they are needed. */
    public void start() {
        if (state != State.BUILT) {
            throw new IllegalStateException("producer group=" + config.group() + " is " + state);
        }
        instance.start();
        state = State.RUNNING;
    }

    /**
     * Sends a message and waits for the broker's answer. Blocks up to the send timeout.
     *
     * @throws ClientException when it failed for good; the subclass says how
     */
    public SendResult send(Message message) throws ClientException {
        return Failures.await(single(message, null), "send", message.topic());
    }

    /** Sends a message to one queue and waits for the answer. Blocks up to the send timeout; is tried once. */
    public SendResult send(Message message, MessageQueue queue) throws ClientException {
        return Failures.await(single(message, queue), "send", message.topic());
    }

    /** Sends a message to the queue the selector chooses and waits for the answer. Blocks; is tried once. */
    public <A> SendResult send(Message message, MessageQueueSelector<A> selector, A argument) throws ClientException {
        checks.topic(message.topic());
        TopicRoute route = Failures.await(route(message.topic()), "search for a route", message.topic());
        return send(message, select(route, message, selector, argument));
    }

    /**
     * Sends messages as one batch and waits for the answer: all are stored, with neighbouring offsets, or none. Blocks up
     * to the send timeout.
     */
    public SendResult send(List<Message> messages) throws ClientException {
        return Failures.await(explicitBatch(messages, null), "send batch", topicOf(messages));
    }

    /** Sends messages as one batch to one queue and waits for the answer. Blocks; is tried once. */
    public SendResult send(List<Message> messages, MessageQueue queue) throws ClientException {
        return Failures.await(explicitBatch(messages, queue), "send batch", topicOf(messages));
    }

    /**
     * Sends a message. Returns at once, unless the producer's memory is full and it is set to block then. The future fails
     * with a {@link ClientException}; it is never cancelled by the client.
     */
    public CompletableFuture<SendResult> sendAsync(Message message) {
        return queued(message, null);
    }

    /** Sends a message to one queue, in order behind earlier asynchronous sends to it. Returns as {@link #sendAsync}. */
    public CompletableFuture<SendResult> sendAsync(Message message, MessageQueue queue) {
        return queued(message, queue);
    }

    /**
     * Sends a message to the queue the selector chooses. Returns as {@link #sendAsync(Message)}; while the route is not known
     * yet it never blocks, and a full memory then fails the send. The future also fails with whatever the selector throws.
     */
    public <A> CompletableFuture<SendResult> sendAsync(Message message, MessageQueueSelector<A> selector, A argument) {
        Optional<TopicRoute> known = instance.routes().known(message.topic());
        if (known.isPresent()) {
            return selected(known.get(), message, selector, argument);
        }
        CompletableFuture<SendResult> result = new CompletableFuture<>();
        Completion.on(route(message.topic()), (found, failure) -> {
            if (failure != null) {
                result.completeExceptionally(Failures.of(failure, FailureSite.ofTopic(message.topic())));
            } else {
                parts.callbacks().during(() -> forward(selected(found, message, selector, argument), result));
            }
        });
        return result;
    }

    /** Sends messages as one batch. The future fails with a {@link ClientException}. */
    public CompletableFuture<SendResult> sendAsync(List<Message> messages) {
        return explicitBatch(messages, null);
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
        sendOnewayTo(message, null);
    }

    /** Sends a message to one queue without asking for an answer; otherwise as {@link #sendOneway(Message)}. */
    public void sendOneway(Message message, MessageQueue queue) throws ClientException {
        sendOnewayTo(message, queue);
    }

    /** The queues messages of a topic can be sent to. Blocks while the route is not known yet. */
    public List<MessageQueue> queues(String topic) throws ClientException {
        checks.topic(topic);
        return Failures.await(route(topic), "search for a route", topic).publishQueues();
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
     * Takes no further messages, waits for those on their way, at most the send timeout, and leaves. Idempotent; blocks.
     */
    @Override
    public void close() {
        if (state == State.CLOSED) {
            return;
        }
        boolean wasRunning = state == State.RUNNING;
        state = State.CLOSED;
        if (wasRunning && instance.settings().loopMode() == ClientSettings.LoopMode.OWN_THREAD) {
            parts.memory().awaitEmpty(Deadline.after(instance.clock(), config.sendTimeoutMs()));
            instance.awaitQuietly(instance.unregister(config.group(), null), ClientInstance.GOODBYE_TIMEOUT_MS);
        }
        instance.close();
    }

    private CompletableFuture<TopicRoute> route(String topic) {
        return instance.routes().getForPublish(topic, config.newTopicQueues());
    }

    /** A choice made on any thread; an event loop has to be marked as such. */
    private <A> CompletableFuture<SendResult> selected(
            TopicRoute route, Message message, MessageQueueSelector<A> selector, A argument) {
        try {
            return queued(message, select(route, message, selector, argument));
        } catch (ClientException | RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static <A> MessageQueue select(
            TopicRoute route, Message message, MessageQueueSelector<A> selector, A argument) throws ClientException {
        if (route.publishQueues().isEmpty()) {
            throw new NoRouteException("topic has no writable queue", FailureSite.ofTopic(message.topic()));
        }
        return Objects.requireNonNull(
                selector.select(route.publishQueues(), message, argument), "the selector chose no queue");
    }

    private void requireRunning(String topic) throws ClosedException {
        if (state != State.RUNNING) {
            throw new ClosedException(
                    "producer group=" + config.group() + " is " + (state == State.BUILT ? "not started" : "closed"),
                    FailureSite.ofTopic(topic));
        }
    }

    private static String topicOf(List<Message> messages) {
        return messages.isEmpty() ? "-" : messages.get(0).topic();
    }

    private String idOf(Message message) {
        String given = message.uniqueId();
        return given != null ? given : ids.next();
    }

    private void count(Message message) {
        parts.counters().messages.increment();
        parts.counters().bytes.add(message.body().length);
    }

    /** A message sent by itself, with memory taken for it. */
    private CompletableFuture<SendResult> single(Message message, @Nullable MessageQueue queue) {
        try {
            requireRunning(message.topic());
            checks.topic(message.topic());
            checks.content(message);
            count(message);
            String id = idOf(message);
            int held = BatchBuffer.maxEncodedBytes(message, id);
            Deadline deadline = Deadline.after(parts.clock(), config.sendTimeoutMs());
            takeMemory(1, held, message.topic(), deadline);
            SingleSend unit = new SingleSend(
                    parts, message, id, queue, deadline, () -> parts.memory().give(1, held));
            parts.sender().send(unit);
            return unit.result();
        } catch (ClientException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** A message for a lane; a lane is made only for topics that passed the checks. */
    private CompletableFuture<SendResult> queued(Message message, @Nullable MessageQueue queue) {
        boolean isBatchable = config.batching().enabled()
                && message.body().length < config.compression().fromBytes()
                && message.body().length < config.batching().maxBytes()
                && MessageChecks.isBatchable(message);
        if (!isBatchable && queue == null) {
            return single(message, null);
        }
        try {
            requireRunning(message.topic());
            checks.content(message);
            SendLane lane = lane(message, queue);
            count(message);
            String id = idOf(message);
            int held = BatchBuffer.maxEncodedBytes(message, id);
            takeMemory(1, held, message.topic(), null);
            return isBatchable ? lane.add(message, id, held) : lane.addAlone(message, id, held);
        } catch (ClientException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private SendLane lane(Message message, @Nullable MessageQueue queue) throws ClientException {
        SendLane.Key key = new SendLane.Key(message.topic(), queue);
        SendLane lane = lanes.get(key);
        if (lane == null) {
            checks.topic(message.topic());
            lane = lanes.computeIfAbsent(key, fresh -> new SendLane(fresh, parts));
        }
        return lane;
    }

    private void takeMemory(int messages, int bytes, String topic, @Nullable Deadline deadline) throws ClientException {
        if (parts.memory().tryTake(messages, bytes)) {
            return;
        }
        Deadline end = deadline != null ? deadline : Deadline.after(parts.clock(), config.sendTimeoutMs());
        if (config.whenFull() == WhenFull.FAIL || parts.callbacks().isSet()) {
            throw parts.memory().full(messages, bytes, topic, end);
        }
        try {
            parts.memory().takeBlocking(messages, bytes, topic, end);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedCallException(
                    "interrupted while waiting for producer memory",
                    new FailureSite("-", topic, 0, end.remainingMs()),
                    e);
        }
    }

    private CompletableFuture<SendResult> explicitBatch(List<Message> messages, @Nullable MessageQueue queue) {
        try {
            requireRunning(topicOf(messages));
            checks.batch(messages);
            return new ExplicitBatch(parts, ids).send(messages, queue, checks, this::takeMemory);
        } catch (ClientException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void sendOnewayTo(Message message, @Nullable MessageQueue queue) throws ClientException {
        requireRunning(message.topic());
        checks.topic(message.topic());
        checks.content(message);
        count(message);
        String id = idOf(message);
        int held = BatchBuffer.maxEncodedBytes(message, id);
        Deadline deadline = Deadline.after(parts.clock(), config.sendTimeoutMs());
        takeMemory(1, held, message.topic(), deadline);
        SingleSend unit = new SingleSend(parts, message, id, queue, deadline, () -> {});
        CompletableFuture<Void> left = parts.sender().sendOneway(unit);
        Completion.on(left, (ignored, failure) -> parts.memory().give(1, held));
        if (left.isCompletedExceptionally()) {
            Failures.await(left, "one-way send", message.topic());
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
}
