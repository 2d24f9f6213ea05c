package dev.perigee.client.producer;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.ClosedException;
import dev.perigee.client.error.Failures;
import dev.perigee.client.hook.SendObservers;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.instance.ClientSettings;
import dev.perigee.client.instance.Closing;
import dev.perigee.client.instance.ForeignChecks;
import dev.perigee.client.recall.Recalls;
import dev.perigee.client.request.InflatingThread;
import dev.perigee.client.request.Replies;
import dev.perigee.client.request.RequestCalls;
import dev.perigee.client.request.Requests;
import dev.perigee.client.selector.MessageQueueSelector;
import dev.perigee.client.selector.SelectMessageQueueByShardingKey;
import dev.perigee.client.send.QueueChoice;
import dev.perigee.client.send.SendCounters;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.Sender;
import dev.perigee.client.send.Sending;
import dev.perigee.client.trace.TraceMetrics;
import dev.perigee.client.trace.TraceWriter;
import dev.perigee.client.work.CallbackMark;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.client.ProducerData;
import dev.perigee.protocol.header.send.RecallOutcome;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
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
import org.jspecify.annotations.Nullable;

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

    private static final SelectMessageQueueByShardingKey BY_KEY = new SelectMessageQueueByShardingKey();

    private final ClientInstance instance;
    private final ProducerConfig config;
    private final @Nullable TraceWriter trace;
    private final MessageChecks checks;
    private final LaneParts parts;
    private final Intake intake;
    private final Admission admission;
    private final ChosenQueues queues;
    private final RequestCalls requests;
    private final ForeignChecks foreignChecks = new ForeignChecks();
    private final AtomicReference<State> state = new AtomicReference<>(State.BUILT);
    private volatile Closing closing = Closing.NOTHING;

    Producer(
            ClientSettings settings,
            ProducerConfig config,
            RandomGenerator random,
            SendObservers observers,
            HandlerTable.@Nullable Builder answering,
            @Nullable TraceWriter trace) {
        HeartbeatData heartbeat =
                new HeartbeatData(settings.clientId(), Set.of(new ProducerData(config.group())), Set.of(), 0, false);
        InflatingThread inflating = InflatingThread.of(settings);
        Replies replies = new Replies(settings.clock(), config.maxMessageBytes(), inflating);
        HandlerTable.Builder table = answering == null ? foreignChecks.table() : answering;
        replies.handle(table);
        this.instance = new ClientInstance(settings, table.build(), () -> heartbeat);
        this.config = config;
        this.trace = trace;
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
        Observation observation = new Observation(observers, instance.routes(), settings.clock());
        this.intake = new Intake(parts, checks, admission, ids, observation);
        this.queues = new ChosenQueues(instance, parts, checks, admission, intake);
        Requests asking = new Requests(instance, replies, queues, random);
        this.requests = new RequestCalls(asking, replies, inflating, parts.callbacks(), settings.clock());
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
        if (trace != null) {
            trace.start();
        }
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
        return await(intake.single(message, QueueChoice.named(queue), parts.deadline()), "send");
    }

    /**
     * Sends a message to the queue the selector chooses and waits for the answer. Blocks up to the send timeout, the search
     * for a route included; is tried once. Where the broker does not have that queue, because the topic has fewer than the route
     * said, the selector chooses again from the newer route.
     */
    public <A> SendResult send(Message message, MessageQueueSelector<A> selector, A argument) throws ClientException {
        return await(queues.send(message, selector, argument), "send");
    }

    /**
     * Sends a message to the queue of its order key and waits for the answer: messages with one key keep the order in which they were
     * sent, while the topic keeps its queues. Blocks up to the send timeout, the search for a route included; is tried once.
     *
     * @throws ClientException also when the message has no order key, see {@link Message.Builder#orderKey}
     */
    public SendResult sendOrdered(Message message) throws ClientException {
        return send(message, BY_KEY, checks.orderKey(message, config.sendTimeoutMs()));
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
     * yet it never blocks, and a full memory then fails the send. The future also fails with whatever the selector throws. Where the
     * broker does not have that queue the send fails, and the next ones choose from the newer route: another choice for this one could
     * overtake those behind it.
     */
    public <A> CompletableFuture<SendResult> sendAsync(Message message, MessageQueueSelector<A> selector, A argument) {
        return queues.sendAsync(message, selector, argument);
    }

    /** As {@link #sendOrdered}, in order behind earlier asynchronous sends to that queue. Returns as {@link #sendAsync(Message)}. */
    public CompletableFuture<SendResult> sendOrderedAsync(Message message) {
        try {
            return sendAsync(message, BY_KEY, checks.orderKey(message, config.sendTimeoutMs()));
        } catch (ClientException e) {
            return CompletableFuture.failedFuture(e);
        }
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

    /**
     * Sends a request and waits for the reply of whoever consumes it first. Blocks up to the timeout, which counts for everything:
     * the send, the consumer and the way back.
     *
     * @param timeoutMs above 0
     * @throws ClientException when the send fails, or no reply came in time: then the request may have been carried out
     */
    public Message request(Message message, long timeoutMs) throws ClientException {
        return requests.await(message, timeoutMs);
    }

    /**
     * As {@link #request}, without waiting for the reply; the future fails with a {@link ClientException}. Returns as
     * {@link #sendAsync(Message)}: a request counts in the producer's memory from this call on.
     */
    public CompletableFuture<Message> requestAsync(Message message, long timeoutMs) {
        return requests.begin(message, timeoutMs);
    }

    /**
     * Answers a request that was consumed, through the broker it came from, or another one of its cluster when that one does not
     * reach who asked. Blocks up to the send timeout.
     *
     * @param request as a consumer got it
     * @throws ClientException when the message is no request, naming the property it lacks, or nobody could be reached: who
     *     asked may be gone
     */
    public SendResult reply(MessageExt request, byte[] body) throws ClientException {
        return queues.reply(request, body);
    }

    /**
     * Takes back a message that waits for its time. Blocks up to the call timeout. A stock broker says of any handle it can read that
     * it was recalled.
     *
     * @param handle what {@link SendResult#recallHandle} gave
     * @throws ClientException when the handle is none, or none of this topic, or the broker could not be asked: then it may
     *     have taken the message back all the same, and asking again does no harm
     */
    public RecallOutcome recall(String topic, String handle) throws ClientException {
        Deadline deadline = Deadline.after(instance.clock(), instance.settings().callTimeoutMs());
        admission.requireRunning(topic, deadline.remainingMs());
        return new Recalls(instance, config.group()).await(topic, handle, deadline);
    }

    /** The queues messages of a topic can be sent to. Blocks while the route is not known yet. */
    public List<MessageQueue> queues(String topic) throws ClientException {
        return queues.await(topic, parts.deadline()).publishQueues();
    }

    /** What was done so far. */
    public ProducerMetrics metrics() {
        long notWritten = instance.remoting().counters().droppedOneways();
        return ProducerMetrics.of(parts, requests, notWritten, foreignChecks.count());
    }

    /** What became of the trace notes; all 0 unless messages are traced. */
    public TraceMetrics traceMetrics() {
        return trace == null ? TraceMetrics.NONE : trace.metrics();
    }

    /** Where this producer notes what it does, if it does. For the library's own packages. */
    public Optional<TraceWriter> trace() {
        return Optional.ofNullable(trace);
    }

    /** The producer group. */
    public String group() {
        return config.group();
    }

    /** Says what else is to end with this producer. Called once, before the start. For the library's own packages. */
    public void endsWith(Closing also) {
        this.closing = also;
    }

    /** The id of a message that is to be known by it before it is sent. For the library's own packages. */
    public String idFor(Message message) {
        return intake.idOf(message);
    }

    /**
     * Sends the first half of a transaction; no other way of sending makes halves. Blocks as a send does while memory is full. For the
     * library's own packages.
     */
    public Sending half(Message message) throws ClientException {
        return intake.half(message, parts.deadline());
    }

    /** The client this producer is. For the library's own packages. */
    public ClientInstance instance() {
        return instance;
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
     * then fails with {@link ClosedException}. Trace notes have the same time once more. Blocks; further calls return at once. In a
     * callback of this producer, which runs on one of the threads that would bring the answers, it does not wait for them.
     */
    @Override
    public void close() {
        State before = state.getAndSet(State.CLOSED);
        if (before == State.CLOSED) {
            return; // another call does it, and may be waiting for what is on its way
        }
        boolean isStepped = instance.settings().loopMode() == ClientSettings.LoopMode.STEPPED;
        if (before == State.RUNNING && !parts.callbacks().isSet() && !isStepped) {
            Deadline end = Deadline.after(instance.clock(), config.sendTimeoutMs());
            closing.awaitWork(end);
            parts.memory().awaitEmpty(end);
            instance.awaitQuietly(instance.unregister(config.group(), null), ClientInstance.GOODBYE_TIMEOUT_MS);
        }
        closing.left(parts.callbacks().isSet() ? 0 : instance.settings().callTimeoutMs());
        instance.close();
        requests.close();
        if (trace == null) {
            return;
        }
        if (parts.callbacks().isSet() && !isStepped) {
            trace.closeElsewhere(); // this may be the thread that would bring the answers
        } else {
            trace.close();
        }
    }

    private String whyNotRunning() {
        State now = state.get();
        return now == State.RUNNING
                ? ""
                : "producer group=" + config.group() + " is " + (now == State.BUILT ? "not started" : "closed");
    }

    static SendResult await(Sending sending, String what) throws ClientException {
        return Failures.await(sending.result(), what, sending.where());
    }
}
