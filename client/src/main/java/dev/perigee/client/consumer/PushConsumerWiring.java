package dev.perigee.client.consumer;

import dev.perigee.client.codec.MessageReader;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.instance.ClientSettings;
import dev.perigee.client.listener.ConsumeCounters;
import dev.perigee.client.listener.ConsumeObservers;
import dev.perigee.client.listener.ListenerRun;
import dev.perigee.client.listener.ListenerThreads;
import dev.perigee.client.listener.Listeners;
import dev.perigee.client.position.BrokerOffsets;
import dev.perigee.client.position.FileOffsets;
import dev.perigee.client.position.OffsetStore;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.queue.FlowGate;
import dev.perigee.client.queue.PullCalls;
import dev.perigee.client.queue.PullStyle;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.client.queue.Rebalance;
import dev.perigee.client.queue.StartPosition;
import dev.perigee.client.queue.Subscriptions;
import dev.perigee.client.queue.TopicFilter;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.client.ProducerData;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.GroupName;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.topic.TopicName;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/** Puts the parts of a push consumer together. */
@OwnedBy("building thread")
final class PushConsumerWiring {
    final PushConfig config;
    final ListenerThreads threads;
    final Subscriptions subscriptions;
    final ClientInstance instance;
    final OffsetStore offsets;
    final ListenerRun listener;
    final FailedMessages failed;
    final PushAssignments assignments;
    final Rebalance rebalance;

    private final Listeners listeners;
    private final ConsumeCounters counters = new ConsumeCounters();
    /** From now on heartbeats do not name the group: it was left, and one on its way must not join it again. */
    private volatile boolean hasLeft;

    PushConsumerWiring(
            ClientSettings settings,
            PushConfig config,
            Listeners listeners,
            ConsumeObservers observers,
            Map<String, TopicFilter> filters,
            ListenerThreads threads) {
        this.config = config;
        this.listeners = listeners;
        this.threads = threads;
        this.subscriptions = new Subscriptions(settings.clock());
        filters.forEach(subscriptions::put);
        if (isClustering()) {
            subscriptions.put(TopicName.retry(config.group()), TopicFilter.ALL);
        }
        BrokerRequests requests = new BrokerRequests();
        this.instance = new ClientInstance(settings, requests.table(), this::heartbeat);
        instance.routes().keep(topic -> subscriptions.of(topic).isPresent());
        this.offsets = offsetStore();
        this.listener = new ListenerRun(
                listeners.body(), config.group(), config.failure(), instance.clock(), counters, observers);
        this.failed =
                new FailedMessages(instance, config.group(), config.failure().maxReconsumeTimes(), counters);
        this.assignments = new PushAssignments(
                instance,
                offsets,
                new StartPosition(instance, offsets, config.from()),
                counters,
                this::pullerParts,
                this::work,
                this::rebalanceSoon);
        this.rebalance = new Rebalance(new Rebalance.Parts(
                instance,
                config.group(),
                isClustering() ? Rebalance.Sharing.AMONG_MEMBERS : Rebalance.Sharing.EVERYTHING_TO_ALL,
                config.strategy(),
                subscriptions::topics,
                assignments));
        RunningInfo info = new RunningInfo(instance, config, subscriptions, assignments, counters);
        requests.bind(new BrokerRequests.Consumer(
                config.group(), instance, assignments, rebalance, info, listener, threads.executor()));
    }

    /** Takes the group out of the heartbeats. Any thread. */
    void left() {
        this.hasLeft = true;
    }

    private boolean isClustering() {
        return config.model() == MessageModel.CLUSTERING;
    }

    private void rebalanceSoon() {
        rebalance.retrySoon();
    }

    private OffsetStore offsetStore() {
        if (!isClustering()) {
            String clientId = instance.settings().clientId();
            return instance.settings().loopMode() == ClientSettings.LoopMode.STEPPED
                    ? new FileOffsets(config.offsetFolder(), clientId, config.group(), instance.loop())
                    : FileOffsets.onOwnThread(config.offsetFolder(), clientId, config.group());
        }
        // A time asked for shall count even in a young queue, where a stock broker answers 0 unless told not to.
        boolean byTime = config.from().kind() == ConsumeFrom.Kind.TIMESTAMP;
        return new BrokerOffsets(
                instance, config.group(), BrokerOffsets.Committer.MEMBER, byTime ? Boolean.FALSE : null);
    }

    private QueuePuller.Parts pullerParts(QueuePuller.Sink sink) {
        PullStyle style = new PullStyle(
                isClustering() ? PullStyle.Kind.PUSH_CLUSTERING : PullStyle.Kind.PUSH_BROADCASTING,
                config.pullBatchSize(),
                PullStyle.DEFAULT_MAX_BYTES,
                PullStyle.PUSH_SUSPEND_MS,
                PullStyle.PULL_TIMEOUT_MS);
        PullCalls calls = new PullCalls(instance, config.group(), style, new MessageReader());
        FlowGate gate = new FlowGate(config.limits(), config.topicLimits());
        return new QueuePuller.Parts(calls, subscriptions, gate, instance.loop(), instance.clock(), sink);
    }

    private PushWork work(PushAssignments owner) {
        return listeners.isOrderly() ? orderlyWork(owner) : concurrentWork(owner);
    }

    private PushWork concurrentWork(PushAssignments owner) {
        ConsumeTimeouts timeouts = new ConsumeTimeouts(new ConsumeTimeouts.Parts(
                owner,
                failed,
                counters,
                config.model(),
                config.failure().consumeTimeoutMs(),
                instance.loop(),
                instance.clock()));
        return new ConcurrentWork(
                new ConcurrentWork.Parts(owner, config.model(), failed, timeouts),
                new ConcurrentCalls.Parts(
                        config.batchSize(),
                        threads.isOfUser() ? ConcurrentCalls.TASK_PER_CALL : config.threads(),
                        listener,
                        timeouts,
                        threads.executor(),
                        instance.loop(),
                        instance.clock()));
    }

    private PushWork orderlyWork(PushAssignments owner) {
        QueueLocks locks = isClustering() ? new BrokerQueueLocks(instance, config.group()) : new QueueLocks.Unshared();
        OrderlyWork orderly = new OrderlyWork(new OrderlyWork.Parts(
                owner,
                config.batchSize(),
                listener,
                failed,
                retryLimit(owner),
                locks,
                threads.executor(),
                instance.loop()));
        instance.loop().every(QueueLocks.RENEW_MS, QueueLocks.RENEW_MS, orderly::renewLocks);
        return orderly;
    }

    /** The consumer's own limit, else the group's; a broadcasting consumer has none of a group's, its retries are its own. */
    private OrderlyWork.RetryLimit retryLimit(PushAssignments owner) {
        int own = config.failure().maxReconsumeTimes();
        if (own >= 0) {
            return brokerName -> OptionalInt.of(own);
        }
        if (!isClustering()) {
            return brokerName -> OptionalInt.empty();
        }
        GroupRetryLimit limit = new GroupRetryLimit(instance, config.group());
        owner.onTaken(limit::know);
        instance.loop().every(GroupRetryLimit.ASK_MS, GroupRetryLimit.ASK_MS, () -> limit.refresh(owner.queues()));
        return limit::of;
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
                hasLeft ? Set.of() : Set.of(consumer),
                0,
                false);
    }
}
