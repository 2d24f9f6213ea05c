package dev.perigee.client.consumer;

import dev.perigee.client.instance.ClientBuilder;
import dev.perigee.client.instance.ClientSettings;
import dev.perigee.client.listener.ConsumeObserver;
import dev.perigee.client.listener.ConsumeObservers;
import dev.perigee.client.listener.FailurePolicy;
import dev.perigee.client.listener.ListenerThreads;
import dev.perigee.client.listener.Listeners;
import dev.perigee.client.listener.MessageListener;
import dev.perigee.client.listener.OrderlyMessageListener;
import dev.perigee.client.producer.ProducerBuilder;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.queue.FlowLimits;
import dev.perigee.client.queue.TopicFilter;
import dev.perigee.client.queue.TopicLimits;
import dev.perigee.client.trace.TraceCalls;
import dev.perigee.client.trace.TraceWriter;
import dev.perigee.loop.InOrder;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.allocate.AllocateMessageQueueStrategy;
import dev.perigee.protocol.allocate.AllocateStrategies;
import dev.perigee.protocol.group.GroupName;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.message.UniqueId;
import dev.perigee.protocol.topic.SystemTopic;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Collects the settings of a {@link PushConsumer}. A group, a listener and a subscription must be given. */
@OwnedBy("building thread")
public final class PushConsumerBuilder extends ClientBuilder<PushConsumerBuilder> {
    private static final int DEFAULT_THREADS = 20;
    private static final int DEFAULT_PULL_BATCH_SIZE = 32;
    private static final long DEFAULT_CLOSE_TIMEOUT_MS = 10_000;
    private static final String SHARED_INSTANCE = "DEFAULT";

    private final Map<String, TopicFilter> subscriptions = new LinkedHashMap<>();
    private String group = "";
    private MessageModel model = MessageModel.CLUSTERING;
    private ConsumeFrom from = ConsumeFrom.lastOffset();
    private AllocateMessageQueueStrategy strategy = AllocateStrategies.AVERAGELY;
    private int threads = DEFAULT_THREADS;
    private int batchSize = 1;
    private int pullBatchSize = DEFAULT_PULL_BATCH_SIZE;
    private FlowLimits limits = FlowLimits.DEFAULT;
    private TopicLimits topicLimits = TopicLimits.OFF;
    private int maxReconsumeTimes = FailurePolicy.DEFAULT.maxReconsumeTimes();
    private int retryDelayLevel = FailurePolicy.DEFAULT.retryDelayLevel();
    private long suspendMs = FailurePolicy.DEFAULT.suspendMs();
    private long consumeTimeoutMs = FailurePolicy.DEFAULT.consumeTimeoutMs();
    private Path offsetFolder = Path.of(System.getProperty("user.home"), ".rocketmq_offsets");
    private long closeTimeoutMs = DEFAULT_CLOSE_TIMEOUT_MS;
    private final List<ConsumeObserver> observers = new ArrayList<>();
    private @Nullable String traceTopic;
    private @Nullable Executor executor;
    private @Nullable Listeners listener;

    PushConsumerBuilder() {}

    @Override
    protected PushConsumerBuilder self() {
        return this;
    }

    /** The consumer group. */
    public PushConsumerBuilder group(String name) {
        this.group = name;
        return this;
    }

    /** Subscribes to a topic: {@code *} for all messages, otherwise tags joined by {@code ||}. May be called again. */
    public PushConsumerBuilder subscribe(String topic, String expression) {
        return subscribe(topic, TopicFilter.tags(expression));
    }

    /** Subscribes to the messages of a topic that pass a filter. May be called again. */
    public PushConsumerBuilder subscribe(String topic, TopicFilter filter) {
        subscriptions.put(topic, filter);
        return this;
    }

    /** What takes the messages, several at a time and in no order. */
    public PushConsumerBuilder listener(MessageListener messageListener) {
        this.listener = Listeners.concurrent(messageListener);
        return this;
    }

    /** What takes the messages of each queue one after the other. */
    public PushConsumerBuilder orderlyListener(OrderlyMessageListener messageListener) {
        this.listener = Listeners.orderly(messageListener);
        return this;
    }

    /** Whether members share the queues (the default) or each consumes everything. */
    public PushConsumerBuilder model(MessageModel messageModel) {
        this.model = messageModel;
        return this;
    }

    /** Where a new group starts; at the end by default. */
    public PushConsumerBuilder consumeFrom(ConsumeFrom position) {
        this.from = position;
        return this;
    }

    /** How queues are shared; averagely by default. All members of a group must use the same. */
    public PushConsumerBuilder strategy(AllocateMessageQueueStrategy allocation) {
        this.strategy = allocation;
        return this;
    }

    /** Listener threads; 20 by default. */
    public PushConsumerBuilder threads(int count) {
        this.threads = count;
        return this;
    }

    /** Runs the listener on the user's threads; they are not ended with the consumer. */
    public PushConsumerBuilder executor(Executor listenerExecutor) {
        this.executor = listenerExecutor;
        return this;
    }

    /** Most messages of one listener call; 1 by default. */
    public PushConsumerBuilder batchSize(int messages) {
        this.batchSize = messages;
        return this;
    }

    /** Messages asked for in one pull; 32 by default. */
    public PushConsumerBuilder pullBatchSize(int messages) {
        this.pullBatchSize = messages;
        return this;
    }

    /** Flow control of each queue; 1,000 messages, 100 MiB and a span of 2,000 offsets by default. */
    public PushConsumerBuilder limits(FlowLimits flowLimits) {
        this.limits = flowLimits;
        return this;
    }

    /** Flow control of each topic, shared among its queues owned; off by default. */
    public PushConsumerBuilder topicLimits(TopicLimits flowLimits) {
        this.topicLimits = flowLimits;
        return this;
    }

    /**
     * Retries of a failed message before it is set aside; −1 (default) for the group's limit, as the broker has it. Any other
     * number wins over the group's.
     */
    public PushConsumerBuilder maxReconsumeTimes(int times) {
        this.maxReconsumeTimes = times;
        return this;
    }

    /**
     * When a failed message of a concurrent listener comes again: 1 to 18 for that delay, 0 (default) for longer and longer
     * ones, −1 to set it aside at once. A listener may say otherwise for each call.
     */
    public PushConsumerBuilder retryDelayLevel(int level) {
        this.retryDelayLevel = level;
        return this;
    }

    /**
     * How long a concurrent listener may take, in milliseconds, at least 1,000; 15 minutes by default. Then its messages go
     * back to the broker and the queue moves on. The call itself is not ended.
     */
    public PushConsumerBuilder consumeTimeoutMs(long timeoutMs) {
        this.consumeTimeoutMs = timeoutMs;
        return this;
    }

    /** How long an orderly queue is held back after a failure, in milliseconds, 10 to 30,000; 1,000 by default. */
    public PushConsumerBuilder suspendMs(long holdBackMs) {
        this.suspendMs = holdBackMs;
        return this;
    }

    /** Where a broadcasting consumer keeps its positions; {@code ~/.rocketmq_offsets} by default. */
    public PushConsumerBuilder offsetFolder(Path folder) {
        this.offsetFolder = folder;
        return this;
    }

    /** How long closing waits for listener calls under way, in milliseconds; 10,000 by default. */
    public PushConsumerBuilder closeTimeoutMs(long timeoutMs) {
        this.closeTimeoutMs = timeoutMs;
        return this;
    }

    /** Has somebody look on at the listener's calls; may be called again for others, who are told in that order. */
    public PushConsumerBuilder observer(ConsumeObserver observer) {
        observers.add(observer);
        return this;
    }

    /**
     * Notes in the trace topic {@code RMQ_SYS_TRACE_TOPIC} when the listener is given each message and what it does with it. Off by
     * default. The notes leave through a producer of their own, never hold up the listener, and are dropped and counted when too many
     * wait; messages of trace topics are not noted.
     */
    public PushConsumerBuilder enableMsgTrace() {
        return enableMsgTrace(SystemTopic.TRACE);
    }

    /** As {@link #enableMsgTrace()}, in a trace topic of the user's own. */
    public PushConsumerBuilder enableMsgTrace(String topic) {
        this.traceTopic = topic;
        return this;
    }

    /** @throws IllegalArgumentException when something is missing or out of its range, naming it */
    public PushConsumer build() {
        String problem = GroupName.problem(group);
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
        Listeners called = listener;
        if (called == null) {
            throw new IllegalArgumentException("consumer group=" + group + " needs a listener");
        }
        PushConfig config = config(called);
        // The folder of a broadcasting consumer's positions is named by its client id, which must outlive the process.
        String instance = model == MessageModel.BROADCASTING ? SHARED_INSTANCE : uniqueInstanceName();
        ClientSettings settings = settings(instance);
        TraceWriter trace =
                traceTopic == null ? null : ProducerBuilder.traceWriter(traceTopic, settings, group, "CONSUME");
        Executor given = executor;
        ListenerThreads pool = given != null ? ListenerThreads.of(given) : ListenerThreads.own(group, threads);
        List<ConsumeObserver> looking = new ArrayList<>(observers);
        if (trace != null) {
            looking.add(new TraceCalls(trace, requestIds(settings), settings.clock(), consumeTimeoutMs));
        }
        return new PushConsumer(
                new PushConsumerWiring(
                        settings, config, called, new ConsumeObservers(looking), InOrder.copyOf(subscriptions), pool),
                trace);
    }

    private PushConfig config(Listeners called) {
        FlowLimits flow =
                called.isOrderly() ? new FlowLimits(limits.maxCount(), limits.maxBytes(), Long.MAX_VALUE) : limits;
        return new PushConfig(
                group,
                model,
                from,
                strategy,
                threads,
                batchSize,
                pullBatchSize,
                flow,
                called.isOrderly() ? topicLimits.withoutSpan() : topicLimits,
                new FailurePolicy(maxReconsumeTimes, retryDelayLevel, suspendMs, consumeTimeoutMs),
                offsetFolder,
                closeTimeoutMs);
    }

    private static UniqueId requestIds(ClientSettings settings) {
        return new UniqueId(
                settings.addressBytes(),
                ProcessHandle.current().pid(),
                new SecureRandom().nextInt(),
                settings.clock(),
                ZoneId.systemDefault());
    }
}
