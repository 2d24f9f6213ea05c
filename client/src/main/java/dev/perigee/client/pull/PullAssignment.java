package dev.perigee.client.pull;

import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.queue.FilterCheck;
import dev.perigee.client.queue.Rebalance;
import dev.perigee.client.queue.Subscriptions;
import dev.perigee.client.queue.TopicFilter;
import dev.perigee.loop.InOrder;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.message.MessageQueue;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What the user wants read, by subscription or by hand, and bringing that about. */
@ThreadSafe
final class PullAssignment {
    private final PullConfig config;
    private final ClientInstance instance;
    private final Subscriptions subscriptions;
    private final LiteQueues queues;
    private final Rebalance rebalance;
    private final FilterCheck filters;
    /** The queues assigned by hand; null while subscriptions count. */
    private volatile @Nullable Set<MessageQueue> byHand;

    private volatile boolean started;

    PullAssignment(PullConfig config, ClientInstance instance, Subscriptions subscriptions, LiteQueues queues) {
        this.config = config;
        this.instance = instance;
        this.subscriptions = subscriptions;
        this.queues = queues;
        this.filters = new FilterCheck(instance);
        this.rebalance = new Rebalance(new Rebalance.Parts(
                instance,
                config.group(),
                Rebalance.Sharing.AMONG_MEMBERS,
                config.strategy(),
                () -> byHand == null ? subscriptions.topics() : Set.of(),
                queues));
        instance.routes().onChange(route -> {
            if (started && byHand == null && subscriptions.of(route.topic()).isPresent()) {
                membersChanged();
            }
        });
    }

    HeartbeatData heartbeat() {
        ConsumerData consumer = new ConsumerData(
                config.group(),
                ConsumeType.CONSUME_ACTIVELY,
                MessageModel.CLUSTERING,
                config.from().onTheWire(),
                new LinkedHashSet<>(subscriptions.all()),
                false);
        return new HeartbeatData(instance.settings().clientId(), Set.of(), Set.of(consumer), 0, false);
    }

    /** Shares queues anew, because members or routes are others than before. */
    void membersChanged() {
        instance.loop().execute(rebalance::start);
    }

    /** Tries again in a while to get what could not be had. Client loop. */
    void retrySoon() {
        if (byHand == null) {
            rebalance.retrySoon();
        } else {
            instance.loop().after(Rebalance.RETRY_MS, () -> {
                Set<MessageQueue> exactly = byHand;
                if (exactly != null) {
                    Completion.unawaited(queues.assignExactly(exactly));
                }
            });
        }
    }

    /** @throws IllegalArgumentException when topic or filter cannot be subscribed, naming it */
    void subscribe(String topic, TopicFilter filter) {
        subscriptions.put(topic, filter);
        Set<MessageQueue> before = byHand;
        byHand = null;
        if (before != null) {
            before.stream()
                    .map(MessageQueue::topic)
                    .distinct()
                    .filter(other -> !other.equals(topic))
                    .forEach(this::unsubscribe);
        }
    }

    void unsubscribe(String topic) {
        subscriptions.remove(topic);
        instance.loop().execute(() -> {
            queues.leave(topic);
            instance.heartbeats().beatSoon();
        });
    }

    void byHand(Collection<MessageQueue> assigned) {
        Set<MessageQueue> exactly = InOrder.copyOf(assigned);
        Set<String> topics = exactly.stream().map(MessageQueue::topic).collect(Collectors.toSet());
        for (String topic : subscriptions.topics()) {
            if (!topics.contains(topic)) {
                subscriptions.remove(topic);
            }
        }
        for (String topic : topics) {
            if (subscriptions.of(topic).isEmpty()) {
                subscriptions.put(topic, TopicFilter.ALL);
            }
        }
        byHand = exactly;
    }

    /**
     * Brings about what the user wants. Fails when a topic has no route or a broker refuses a filter. Brokers that do not
     * answer are not awaited for ever: their queues join when they do.
     */
    CompletableFuture<Void> refresh() {
        started = true;
        CompletableFuture<?>[] routes =
                subscriptions.topics().stream().map(instance.routes()::get).toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(routes)
                .thenCompose(ignored -> instance.withinStart(
                        config.group(), joined(), () -> queues.startEnded(subscriptions.topics())));
    }

    private CompletableFuture<Void> joined() {
        CompletableFuture<?>[] checks = subscriptions.all().stream()
                .map(subscription -> filters.check(config.group(), subscription))
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(checks)
                .thenCompose(ignored -> instance.heartbeats().beatAll())
                .thenCompose(ignored -> instance.loop().ask(this::assign, instance.callBegins(FailureSite.NONE)));
    }

    private CompletableFuture<Void> assign() {
        Set<MessageQueue> exactly = byHand;
        return exactly == null ? rebalance.round() : queues.assignExactly(exactly);
    }

    /** Shares no more. Client loop. */
    void stop() {
        rebalance.stop();
    }
}
