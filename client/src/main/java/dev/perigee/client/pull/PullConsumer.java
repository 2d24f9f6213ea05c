package dev.perigee.client.pull;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.ClosedException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.InterruptedCallException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.instance.ClientSettings;
import dev.perigee.client.queue.PullCalls;
import dev.perigee.client.queue.Pulled;
import dev.perigee.client.queue.StartPosition;
import dev.perigee.client.queue.TopicFilter;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.loop.InOrder;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.remoting.call.Deadline;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Consumes messages by polling, at the user's pace. Queues come either from subscriptions, shared with the other members of
 * the group, or are assigned by hand. Messages are read ahead in the background, within limits: those of each queue, and
 * {@value PollBuffer#MAX_MESSAGES} messages or 512 MiB in all.
 *
 * <p>Messages of one poll count as consumed at the next poll, at {@link #commit} and at {@link #close}; a crash before
 * repeats them. Consumed messages are committed by and by, and when their queue goes to another member. With {@code
 * autoCommitMs(0)} only the user commits: whatever he did not commit comes again to the next owner of the queue, also after
 * {@link #close}. {@link #poll} is for one thread at a time; everything else may be called from any thread.
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
    private final StartPosition start;
    private final PollBuffer buffer;
    private final LiteQueues queues;
    private final PullConsumerWiring parts;
    private final AtomicReference<State> state = new AtomicReference<>(State.BUILT);

    PullConsumer(PullConsumerWiring parts) {
        this.parts = parts;
        this.config = parts.config;
        this.instance = parts.instance;
        this.start = parts.start;
        this.buffer = parts.buffer;
        this.queues = parts.queues;
    }

    public static PullConsumerBuilder builder() {
        return new PullConsumerBuilder();
    }

    /**
     * Starts; subscribed queues are shared out when this returns. A broker that does not answer is no failure: the start goes
     * on without it, and its queues join when it answers. Blocks at most four call timeouts, 12 s by default.
     *
     * @throws ClientException when no NameServer answers, a subscribed topic has no route, or a broker refuses a filter
     */
    public void start() throws ClientException {
        Failures.await(startAsync(), "start of consumer " + config.group(), calling());
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
        return parts.assignment.refresh();
    }

    /** Subscribes to a topic: {@code *} for all, otherwise tags joined by {@code ||}. Ends an assignment by hand. */
    public void subscribe(String topic, String expression) throws ClientException {
        subscribe(topic, TopicFilter.tags(expression));
    }

    /**
     * Subscribes to the messages of a topic that pass a filter. Ends an assignment by hand. Blocks while the brokers are
     * told, when the consumer is running. A topic whose filter the brokers do not take is not subscribed any more.
     *
     * @throws IllegalArgumentException when the topic cannot be subscribed or the filter cannot be read, naming it
     * @throws RefusedException when a broker does not take the filter, with its reason
     */
    public void subscribe(String topic, TopicFilter filter) throws ClientException {
        Failures.await(subscribeAsync(topic, filter), "subscription", instance.callBegins(topic));
    }

    /** As {@link #subscribe(String, TopicFilter)}, without waiting. */
    public CompletableFuture<Void> subscribeAsync(String topic, TopicFilter filter) {
        parts.assignment.subscribe(topic, filter);
        return refreshed().whenComplete((told, failure) -> {
            if (failure != null && Failures.unwrap(failure) instanceof RefusedException) {
                unsubscribe(topic);
            }
        });
    }

    /** Gives a topic up. */
    public void unsubscribe(String topic) {
        parts.assignment.unsubscribe(topic);
    }

    /** Reads exactly these queues from now on, whoever else reads them; ends subscriptions. Blocks until they have begun. */
    public void assign(Collection<MessageQueue> assigned) throws ClientException {
        Failures.await(assignAsync(assigned), "assignment", calling());
    }

    /** As {@link #assign}, without waiting. */
    public CompletableFuture<Void> assignAsync(Collection<MessageQueue> assigned) {
        parts.assignment.byHand(assigned);
        return refreshed();
    }

    /** Done at once before the start, which brings about what is wanted then. */
    private CompletableFuture<Void> refreshed() {
        return state.get() == State.RUNNING ? parts.assignment.refresh() : CompletableFuture.completedFuture(null);
    }

    /** Hears from now on when subscribed topics get other queues, or this consumer another part of them. */
    public void onQueuesChanged(QueueChangeListener listener) {
        parts.changes.tell(listener);
    }

    private Supplier<FailureSite> calling() {
        return instance.callBegins(FailureSite.NONE);
    }

    private <T> CompletableFuture<T> onLoop(Supplier<CompletableFuture<T>> task) {
        return instance.loop().ask(task, calling());
    }

    private <T> T onLoopBlocking(Supplier<T> task, String what) throws ClientException {
        requireRunning(instance.settings().callTimeoutMs());
        return Failures.await(onLoop(() -> CompletableFuture.completedFuture(task.get())), what, calling());
    }

    private void requireRunning(long remainingMs) throws ClosedException {
        if (state.get() != State.RUNNING) {
            throw new ClosedException(
                    "pull consumer group=" + config.group() + " is " + state.get(),
                    FailureSite.untried(FailureSite.NONE, remainingMs));
        }
    }

    /**
     * The next messages of some queue, at most as many as the pull batch size; empty when none came in time. Blocks up to
     * the timeout. Counts the messages of the poll before as consumed.
     *
     * @throws ClosedException when the consumer is not running, or is closed meanwhile
     */
    public List<MessageExt> poll(long timeoutMs) throws ClientException {
        Deadline deadline = Deadline.after(instance.clock(), Math.max(0, timeoutMs));
        requireRunning(deadline.remainingMs());
        buffer.finishOut();
        try {
            List<MessageExt> messages = buffer.next(timeoutMs);
            if (messages.isEmpty()) {
                requireRunning(deadline.remainingMs());
            }
            return messages;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedCallException(
                    "interrupted during poll", FailureSite.untried(FailureSite.NONE, deadline.remainingMs()), e);
        }
    }

    /** The queues read right now. */
    public Set<MessageQueue> assignment() throws ClientException {
        return onLoopBlocking(queues::owned, "assignment");
    }

    /**
     * Goes on from another offset; messages read ahead are dropped. An offset outside of what the broker has becomes the
     * nearest one inside. Blocks.
     *
     * @return where the queue goes on
     * @throws IllegalArgumentException when the queue is not read by this consumer
     */
    public long seek(MessageQueue queue, long offset) throws ClientException {
        requireRunning(instance.settings().callTimeoutMs());
        OptionalLong reached = Failures.await(seekAsync(queue, offset), "seek", instance.callBegins(queue.topic()));
        return reached.orElseThrow(() -> new IllegalArgumentException(queue + LiteQueues.NOT_OURS));
    }

    /** As {@link #seek}, without waiting; empty when the queue is not read by this consumer. */
    public CompletableFuture<OptionalLong> seekAsync(MessageQueue queue, long offset) {
        return onLoop(() -> CompletableFuture.completedFuture(queues.isOurs(queue)))
                .thenCompose(isOurs -> isOurs ? start.within(queue, offset) : CompletableFuture.completedFuture(offset))
                .thenCompose(within -> onLoop(() -> CompletableFuture.completedFuture(
                        queues.seek(queue, within) ? OptionalLong.of(within) : OptionalLong.empty())));
    }

    /** Goes on from the first message. Blocks. */
    public void seekToBegin(MessageQueue queue) throws ClientException {
        seek(queue, 0);
    }

    /** Goes on behind the last message. Blocks. */
    public void seekToEnd(MessageQueue queue) throws ClientException {
        seek(queue, Long.MAX_VALUE);
    }

    /** Goes on from the first message stored at that time or later, milliseconds since 1970. Blocks. */
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

    /**
     * Stops reading these queues ahead; what is here already is still polled. Holds for queues that come later or come back
     * too, until {@link #resume}.
     */
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
        long stored = ask(queue, parts.offsets::read);
        return stored < 0 ? OptionalLong.empty() : OptionalLong.of(stored);
    }

    /**
     * Counts everything polled as consumed and commits it, for the queues that are still read by this consumer. Blocks until
     * the brokers answered; fails with the first refusal.
     */
    public void commit() throws ClientException {
        requireRunning(instance.settings().callTimeoutMs());
        Failures.await(commitAsync(), "commit", calling());
    }

    /** As {@link #commit()}, without waiting. */
    public CompletableFuture<Void> commitAsync() {
        buffer.finishOut();
        return onLoop(queues::commit);
    }

    /**
     * Commits exactly these positions: of each queue, the offset of the next message to consume. Blocks until the brokers
     * answered; fails with the first refusal, and what other brokers took stays. Automatic commits go on from what was
     * consumed.
     *
     * @throws IllegalArgumentException when a queue is not read by this consumer or an offset is negative, naming it;
     *     nothing is committed then
     */
    public void commit(Map<MessageQueue, Long> positions) throws ClientException {
        requireRunning(instance.settings().callTimeoutMs());
        Set<MessageQueue> foreign = Failures.await(commitAsync(positions), "commit", calling());
        if (!foreign.isEmpty()) {
            throw new IllegalArgumentException(foreign + LiteQueues.NOT_OURS);
        }
    }

    /** As {@link #commit(Map)}, without waiting; gives the queues not read by this consumer, and then nothing is committed. */
    public CompletableFuture<Set<MessageQueue>> commitAsync(Map<MessageQueue, Long> positions) {
        Map<MessageQueue, Long> wanted = InOrder.copyOf(positions);
        LiteQueues.requireOffsets(wanted);
        return onLoop(() -> queues.commit(wanted));
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
                .thenCompose(route -> parts.calls.pullNow(new PullCalls.Ask(queue, offset, 0, 0, subscription, max)));
    }

    /** How the queues stand. Completed on the client loop; fails when the consumer is closed. */
    public CompletableFuture<PullMetrics> metrics() {
        return onLoop(() -> CompletableFuture.completedFuture(queues.metrics()));
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
     * Stops reading, commits what was polled unless only the user commits, tells the brokers and leaves. A poll under way
     * fails. Idempotent; blocks.
     */
    @Override
    public void close() {
        State before = state.getAndSet(State.CLOSED);
        buffer.close();
        if (before == State.RUNNING && instance.settings().loopMode() == ClientSettings.LoopMode.OWN_THREAD) {
            instance.awaitQuietly(leave(), 3 * ClientInstance.GOODBYE_TIMEOUT_MS);
        }
        parts.changes.close();
        instance.close();
    }

    /** What {@link #close} does before it cuts the connections. */
    CompletableFuture<Void> leave() {
        buffer.finishOut();
        return onLoop(() -> {
            parts.assignment.stop();
            queues.freeze();
            return queues.persist().thenCompose(ignored -> instance.unregister(null, config.group()));
        });
    }
}
