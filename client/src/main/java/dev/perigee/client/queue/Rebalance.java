package dev.perigee.client.queue;

import dev.perigee.client.error.Completion;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.instance.BrokerCalls;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.route.TopicRoute;
import dev.perigee.client.work.Timer;
import dev.perigee.loop.InOrder;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.allocate.AllocateMessageQueueStrategy;
import dev.perigee.protocol.client.ConsumerIdList;
import dev.perigee.protocol.header.client.ConsumerGroupHeader;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.rpc.Rpcs;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides again and again which queues belong to this member: every 20 s, at once when the broker says that members
 * changed, after a second when a round could not be completed, and sooner when a queue is only not free yet.
 */
@OwnedBy("client loop")
public final class Rebalance {
    /** Time between two rounds. */
    public static final long PERIOD_MS = 20_000;
    /** Time to the next round after one that failed for some topic. */
    public static final long RETRY_MS = 1_000;
    /** Time to the next round after a queue was found not free; it doubles up to {@link #RETRY_MS}. */
    public static final long FIRST_RETRY_MS = 200;

    private static final Logger LOG = LoggerFactory.getLogger(Rebalance.class);

    /** Who takes and gives up queues. Called on the client loop. */
    public interface Owner {
        /**
         * From now on exactly these queues of the topic are this member's. The future is completed when every new one has a
         * start position or has failed to get one; it never fails.
         */
        CompletableFuture<Void> assign(String topic, Set<MessageQueue> mine);

        /** A round found these queues of a topic, none when it has no route; told before it assigns any. */
        void found(String topic, Set<MessageQueue> all);

        /** A round has ended, every start position was found or could not be. */
        void roundEnded();
    }

    /** Who shares the queues. */
    public enum Sharing {
        /** Every member of the group gets a part. */
        AMONG_MEMBERS,
        /** Every member gets everything. */
        EVERYTHING_TO_ALL
    }

    private final ClientInstance instance;
    private final String group;
    private final Sharing sharing;
    private final AllocateMessageQueueStrategy strategy;
    private final Supplier<Collection<String>> topics;
    private final Owner owner;
    /** What was said about the strategy; each text once. */
    private final Set<String> strategyFaults = ConcurrentHashMap.newKeySet();

    private @Nullable CompletableFuture<Void> running;
    private boolean again;
    private boolean stopped;
    private @Nullable Timer next;
    private long nextAtMs;
    private long retryMs;
    private boolean retryAsked;

    /** What a rebalance works on. */
    public record Parts(
            ClientInstance instance,
            String group,
            Sharing sharing,
            AllocateMessageQueueStrategy strategy,
            Supplier<Collection<String>> topics,
            Owner owner) {}

    public Rebalance(Parts parts) {
        this.instance = parts.instance;
        this.group = parts.group;
        this.sharing = parts.sharing;
        this.strategy = parts.strategy;
        this.topics = parts.topics;
        this.owner = parts.owner;
    }

    /** Starts a round as {@link #round} does, without telling when it is over. */
    public void start() {
        Completion.unawaited(round());
    }

    /** Starts a round now, or after the one that is running. The future is completed after a whole round. */
    public CompletableFuture<Void> round() {
        CompletableFuture<Void> current = running;
        if (current != null) {
            again = true;
            return current.thenCompose(ignored -> {
                CompletableFuture<Void> following = running;
                return following != null ? following : CompletableFuture.completedFuture(null);
            });
        }
        if (stopped) {
            return CompletableFuture.completedFuture(null);
        }
        cancelNext();
        retryMs = retryAsked ? retryMs : 0;
        retryAsked = false;
        CompletableFuture<Void> round = new CompletableFuture<>();
        running = round;
        List<CompletableFuture<Boolean>> parts = new ArrayList<>();
        for (String topic : topics.get()) {
            parts.add(balance(topic));
        }
        Completion.on(
                CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new)),
                (ignored, failure) -> instance.loop().execute(() -> ended(round, parts)));
        return round;
    }

    /** A round after that time at the latest; an earlier one that is due already stays. */
    public void soon(long delayMs) {
        long atMs = instance.clock().monotonicMs() + delayMs;
        if (stopped || (next != null && nextAtMs <= atMs)) {
            return;
        }
        cancelNext();
        nextAtMs = atMs;
        next = instance.loop().after(delayMs, () -> {
            next = null;
            start();
        });
    }

    /** A round in a short while, because a queue could not be had yet; a longer while from round to round. */
    public void retrySoon() {
        if (!retryAsked) {
            retryAsked = true;
            retryMs = retryMs == 0 ? FIRST_RETRY_MS : Math.min(RETRY_MS, 2 * retryMs);
        }
        soon(retryMs);
    }

    /** No further round. */
    public void stop() {
        stopped = true;
        cancelNext();
    }

    private void ended(CompletableFuture<Void> round, List<CompletableFuture<Boolean>> parts) {
        running = null;
        owner.roundEnded();
        boolean complete = parts.stream().allMatch(CompletableFuture::join);
        if (again) {
            again = false;
            start();
        } else if (!stopped) {
            soon(complete ? PERIOD_MS : RETRY_MS);
        }
        round.complete(null);
    }

    private void cancelNext() {
        Timer timer = next;
        if (timer != null) {
            timer.cancel();
            next = null;
        }
    }

    /** Gives whether the topic could be balanced; never fails. */
    private CompletableFuture<Boolean> balance(String topic) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        Completion.on(
                queuesOf(topic).thenCompose(route -> members(route).thenApply(members -> allocate(route, members))),
                (mine, failure) -> instance.loop().execute(() -> {
                    if (failure != null) {
                        logFailure(topic, failure);
                        done.complete(failure instanceof StrategyFailed);
                    } else if (stopped) {
                        done.complete(true);
                    } else {
                        Completion.on(owner.assign(topic, mine), (ignored, never) -> done.complete(true));
                    }
                }));
        return done;
    }

    private CompletableFuture<TopicRoute> queuesOf(String topic) {
        CompletableFuture<TopicRoute> result = new CompletableFuture<>();
        Completion.on(
                instance.routes().get(topic),
                (route, failure) -> instance.loop().execute(() -> {
                    if (failure == null) {
                        owner.found(topic, InOrder.copyOf(route.subscribeQueues()));
                        result.complete(route);
                    } else {
                        if (failure instanceof NoRouteException) {
                            owner.found(topic, Set.of());
                        }
                        result.completeExceptionally(failure);
                    }
                }));
        return result;
    }

    private void logFailure(String topic, Throwable cause) {
        if (cause instanceof StrategyFailed) {
            if (strategyFaults.add(String.valueOf(cause.getMessage()))) {
                LOG.warn("event=strategy_failed group={} topic={} strategy={}", group, topic, strategy.name(), cause);
            }
        } else if (cause instanceof NoRouteException) {
            LOG.debug("event=rebalance_skipped group={} topic={} reason=\"{}\"", group, topic, cause.getMessage());
        } else {
            LOG.warn("event=rebalance_skipped group={} topic={} reason=\"{}\"", group, topic, cause.getMessage());
        }
    }

    private Set<MessageQueue> allocate(TopicRoute route, List<String> members) {
        List<MessageQueue> all = route.subscribeQueues();
        if (sharing == Sharing.EVERYTHING_TO_ALL) {
            return new LinkedHashSet<>(all);
        }
        Set<MessageQueue> mine = new LinkedHashSet<>(share(all, members));
        Set<MessageQueue> foreign = new LinkedHashSet<>(mine);
        foreign.removeAll(InOrder.copyOf(all));
        if (!foreign.isEmpty()) {
            mine.removeAll(foreign);
            if (strategyFaults.add("foreign " + route.topic())) {
                LOG.warn(
                        "event=foreign_queues_left_out group={} topic={} strategy={} queues={}",
                        group,
                        route.topic(),
                        strategy.name(),
                        foreign);
            }
        }
        return mine;
    }

    private List<MessageQueue> share(List<MessageQueue> all, List<String> members) {
        try {
            return strategy.allocate(group, instance.settings().clientId(), all, members);
        } catch (RuntimeException | Error e) {
            throw new StrategyFailed(e);
        }
    }

    /** The strategy is the user's: what it throws says nothing about the group, and the next round will hardly differ. */
    private static final class StrategyFailed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        StrategyFailed(Throwable cause) {
            super(cause);
        }
    }

    private CompletableFuture<List<String>> members(TopicRoute route) {
        if (sharing == Sharing.EVERYTHING_TO_ALL) {
            return CompletableFuture.completedFuture(List.of());
        }
        CompletableFuture<List<String>> result = new CompletableFuture<>();
        List<String> addresses = route.brokers().values().stream()
                .sorted((a, b) -> a.brokerName().compareTo(b.brokerName()))
                .flatMap(broker -> anyAddress(broker).stream())
                .collect(Collectors.toCollection(ArrayList::new));
        askMembers(route.topic(), addresses, result);
        return result;
    }

    private static List<String> anyAddress(BrokerData broker) {
        String master = broker.masterAddress();
        return master != null
                ? List.of(master)
                : broker.brokerAddrs().values().stream().limit(1).toList();
    }

    /** Asks one broker after the other until one lists this member; a list without us would make us drop everything. */
    private void askMembers(String topic, List<String> addresses, CompletableFuture<List<String>> result) {
        if (addresses.isEmpty()) {
            instance.heartbeats().beatSoon();
            result.completeExceptionally(new NoRouteException(
                    "no broker lists this member of group " + group,
                    instance.callBegins(topic).get()));
            return;
        }
        String address = takeNext(addresses);
        Completion.on(
                instance.calls()
                        .demandBody(
                                BrokerCalls.Question.of(
                                        address,
                                        Rpcs.GET_CONSUMER_LIST_BY_GROUP,
                                        new ConsumerGroupHeader(group),
                                        topic),
                                ConsumerIdList.class)
                        .thenApply(list -> list.consumerIdList().stream()
                                .distinct()
                                .sorted()
                                .toList()),
                (members, failure) -> {
                    if (failure == null && members.contains(instance.settings().clientId())) {
                        result.complete(members);
                    } else {
                        askMembers(topic, addresses, result);
                    }
                });
    }

    /** Takes out the first that is not known to be silent by now: each that is takes a whole call timeout, and comes last. */
    private String takeNext(List<String> addresses) {
        for (int i = 0; i < addresses.size(); i++) {
            if (!instance.heartbeats().isSilent(addresses.get(i))) {
                return addresses.remove(i);
            }
        }
        return addresses.remove(0);
    }
}
