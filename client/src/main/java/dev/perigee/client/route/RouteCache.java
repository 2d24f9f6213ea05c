package dev.perigee.client.route;

import dev.perigee.client.error.Answered;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.MalformedAnswerException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.loop.Clock;
import dev.perigee.loop.InOrder;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.route.RouteHeader;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.route.TopicRouteData;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.remoting.call.Deadline;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The routes of every topic this client uses. Reads are answered from memory; {@link #refreshAll} is called every 30 s by
 * the client loop. A topic that vanishes from the NameServers keeps its old route, so that a NameServer that just
 * restarted empties nobody's table.
 *
 * <p>Beyond {@link #MAX_TOPICS} topics those are forgotten that were not used for the longest time, and brokers with them
 * that no other route names; a subscribed topic never is. A forgotten topic is asked for again when it is used again.
 */
@ThreadSafe
public final class RouteCache {
    /** Topics whose routes are kept; more only when more than so many are subscribed. */
    public static final int MAX_TOPICS = 10_000;
    /** At the limit this part of it is forgotten in one go. */
    private static final int FORGOTTEN_SHARE = 16;

    private static final Logger LOG = LoggerFactory.getLogger(RouteCache.class);

    /** A route, and when it was last asked for. */
    private static final class Entry {
        private final TopicRoute route;
        private volatile long usedMs;

        Entry(TopicRoute route, long usedMs) {
            this.route = route;
            this.usedMs = usedMs;
        }
    }

    private final NameServers nameServers;
    private final Clock clock;
    private final long fetchTimeoutMs;
    private final int maxTopics;
    private final ConcurrentMap<String, Entry> routes = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, BrokerData> brokers = new ConcurrentHashMap<>();
    /** By the name of a broker, the id of the slave that is read from while no route names its master. */
    private final ConcurrentMap<String, Long> readers = new ConcurrentHashMap<>();

    private final ConcurrentMap<String, CompletableFuture<TopicRoute>> fetches = new ConcurrentHashMap<>();
    private final List<Consumer<TopicRoute>> listeners = new CopyOnWriteArrayList<>();
    private final AtomicBoolean forgetting = new AtomicBoolean();
    private volatile Predicate<String> subscribed = topic -> false;
    private volatile int forgetAbove;

    public RouteCache(NameServers nameServers, Clock clock, long fetchTimeoutMs) {
        this(nameServers, clock, fetchTimeoutMs, MAX_TOPICS);
    }

    RouteCache(NameServers nameServers, Clock clock, long fetchTimeoutMs, int maxTopics) {
        this.nameServers = nameServers;
        this.clock = clock;
        this.fetchTimeoutMs = fetchTimeoutMs;
        this.maxTopics = maxTopics;
        this.forgetAbove = maxTopics;
    }

    /** Says which topics are subscribed: their routes are kept whatever the limit. Asked on any thread. */
    public void keep(Predicate<String> isSubscribed) {
        this.subscribed = isSubscribed;
    }

    /** Calls the listener, on an event loop, whenever a topic's route differs from the one known before. */
    public void onChange(Consumer<TopicRoute> listener) {
        listeners.add(listener);
    }

    /** The route in memory, if any. */
    public Optional<TopicRoute> known(String topic) {
        return Optional.ofNullable(used(topic));
    }

    private @Nullable TopicRoute used(String topic) {
        Entry entry = routes.get(topic);
        if (entry == null) {
            return null;
        }
        entry.usedMs = clock.monotonicMs();
        return entry.route;
    }

    /** The topics with a route in memory. */
    public Set<String> topics() {
        return InOrder.copyOf(routes.keySet());
    }

    /** Whether there is a route of this topic in memory; asking this is no use of it. */
    boolean isKnown(String topic) {
        return routes.containsKey(topic);
    }

    /** One of the topics whose route names this address. */
    Optional<String> topicAt(String address) {
        return routes.values().stream()
                .map(entry -> entry.route)
                .filter(route -> route.brokers().values().stream()
                        .anyMatch(broker -> broker.brokerAddrs().containsValue(address)))
                .map(TopicRoute::topic)
                .findFirst();
    }

    /** The brokers of all routes in memory, by name. */
    public Map<String, BrokerData> brokers() {
        return InOrder.copyOf(brokers);
    }

    /** The address of a broker's master, if known. */
    public Optional<String> masterAddress(String brokerName) {
        BrokerData broker = brokers.get(brokerName);
        return broker == null ? Optional.empty() : Optional.ofNullable(broker.masterAddress());
    }

    /** The addresses of all brokers of this name, by their ids: the master's first, if it is known. */
    public List<String> members(String brokerName) {
        BrokerData broker = brokers.get(brokerName);
        return broker == null ? List.of() : List.copyOf(new TreeMap<>(broker.brokerAddrs()).values());
    }

    /**
     * The address of one member of a broker. Where that id is unknown, as the master's while no route names one: of the slave that is read
     * from, which is the one with the smallest id until that one {@linkplain #notReadable cannot be read}.
     */
    public Optional<String> address(String brokerName, long preferredId) {
        BrokerData broker = brokers.get(brokerName);
        if (broker == null) {
            return Optional.empty();
        }
        String preferred = broker.brokerAddrs().get(preferredId);
        if (preferred == null) {
            Long reader = readers.get(brokerName);
            preferred = reader == null ? null : broker.brokerAddrs().get(reader);
        }
        return Optional.ofNullable(preferred != null ? preferred : broker.addressToRead());
    }

    /**
     * Who is there does not answer, or refuses: where it is a slave whose name has no master now, the one with the next larger id is read
     * from, and behind the last one the first. Any thread.
     */
    public void notReadable(String address) {
        brokers.forEach((name, broker) -> {
            if (broker.masterAddress() == null) {
                NavigableSet<Long> ids = new TreeSet<>(broker.brokerAddrs().keySet());
                broker.brokerAddrs().forEach((id, memberAddress) -> {
                    if (memberAddress.equals(address)) {
                        Long next = ids.higher(id);
                        readers.put(name, next != null ? next : ids.first());
                    }
                });
            }
        });
        readers.keySet().retainAll(brokers.keySet());
    }

    /**
     * The route from memory, else from a NameServer. Fails with {@link NoRouteException} when the topic has none, or with
     * another {@link ClientException}.
     */
    public CompletableFuture<TopicRoute> get(String topic) {
        TopicRoute known = used(topic);
        return known != null && !known.isProvisional() ? CompletableFuture.completedFuture(known) : refresh(topic);
    }

    /**
     * As {@link #get}, but a topic without a route gets the one of the template topic, with at most so many queues a
     * broker: the broker then creates the topic at the first send.
     */
    public CompletableFuture<TopicRoute> getForPublish(String topic, int maxQueues) {
        TopicRoute known = used(topic);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        CompletableFuture<TopicRoute> result = new CompletableFuture<>();
        Completion.on(refresh(topic), (route, failure) -> {
            if (failure == null) {
                result.complete(route);
            } else if (failure instanceof NoRouteException) {
                fromTemplate(topic, maxQueues, result);
            } else {
                result.completeExceptionally(failure);
            }
        });
        return result;
    }

    private void fromTemplate(String topic, int maxQueues, CompletableFuture<TopicRoute> result) {
        Completion.on(fetchData(SystemTopic.AUTO_CREATE), (template, failure) -> {
            if (failure != null) {
                result.completeExceptionally(
                        failure instanceof NoRouteException said
                                ? new NoRouteException(
                                        "topic has no route and automatic creation offers none",
                                        about(topic, said.site()),
                                        said)
                                : failure);
                return;
            }
            take(
                    about(topic, template.site()),
                    () -> TopicRoute.provisional(topic, template.data(), maxQueues),
                    result);
        });
    }

    /** What was asked for the template topic was asked for the sake of this one. */
    private static FailureSite about(String topic, FailureSite template) {
        return new FailureSite(template.address(), topic, template.attempt(), template.remainingMs());
    }

    /** Whatever is wrong with a route, whoever waits for it is told. */
    private void take(FailureSite site, Supplier<TopicRoute> answered, CompletableFuture<TopicRoute> result) {
        try {
            TopicRoute route = answered.get();
            install(route);
            result.complete(route);
        } catch (RuntimeException e) {
            result.completeExceptionally(new MalformedAnswerException("the route cannot be used: " + e, site, e));
        }
    }

    /** Asks a NameServer now. Several calls for one topic at a time share one request. */
    public CompletableFuture<TopicRoute> refresh(String topic) {
        CompletableFuture<TopicRoute> fresh = new CompletableFuture<>();
        CompletableFuture<TopicRoute> running = fetches.putIfAbsent(topic, fresh);
        if (running != null) {
            return running;
        }
        Completion.on(fetchData(topic), (data, failure) -> {
            fetches.remove(topic, fresh);
            if (failure != null) {
                fresh.completeExceptionally(failure);
                return;
            }
            take(data.site(), () -> TopicRoute.of(topic, data.data()), fresh);
        });
        return fresh;
    }

    /** Asks for every topic in use again. Failures are logged; what is known stays. */
    public void refreshAll() {
        for (String topic : routes.keySet()) {
            Completion.on(refresh(topic), (route, failure) -> {
                if (failure != null) {
                    LOG.debug("event=route_not_refreshed topic={} reason=\"{}\"", topic, failure.getMessage());
                }
            });
        }
    }

    /** Forgets a topic that is no longer used. */
    public void forget(String topic) {
        routes.remove(topic);
    }

    /**
     * Forgets what was not used for the longest time. One thread does it; when there is little to forget because most topics
     * are subscribed, the next look comes only after as many new ones.
     */
    private void forgetUnused() {
        if (!forgetting.compareAndSet(false, true)) {
            return;
        }
        try {
            int share = Math.max(1, maxTopics / FORGOTTEN_SHARE);
            List<String> oldest = routes.entrySet().stream()
                    .filter(entry -> !subscribed.test(entry.getKey()))
                    .map(entry -> new Used(entry.getKey(), entry.getValue().usedMs))
                    .sorted(Comparator.comparingLong(Used::atMs))
                    .limit(Math.max(0, routes.size() - maxTopics + share - 1L))
                    .map(Used::topic)
                    .toList();
            routes.keySet().removeAll(oldest);
            Set<String> named = routes.values().stream()
                    .flatMap(entry -> entry.route.brokers().keySet().stream())
                    .collect(Collectors.toSet());
            brokers.keySet().retainAll(named);
            forgetAbove = routes.size() > maxTopics ? routes.size() + share : maxTopics;
            LOG.info("event=routes_forgotten topics={} kept={} limit={}", oldest.size(), routes.size(), maxTopics);
        } finally {
            forgetting.set(false);
        }
    }

    /** When a topic was last used, as it was when it was looked at: the times go on changing while they are sorted. */
    private record Used(String topic, long atMs) {}

    /** The route as a NameServer says it, and which one said it. */
    private record Fetched(TopicRouteData data, FailureSite site) {}

    private CompletableFuture<Fetched> fetchData(String topic) {
        CompletableFuture<Fetched> result = new CompletableFuture<>();
        Deadline deadline = Deadline.after(clock, fetchTimeoutMs);
        Completion.on(
                nameServers.call(
                        Rpcs.GET_ROUTEINFO_BY_TOPIC, new RouteHeader(topic, true, null, null), null, topic, deadline),
                (answered, failure) -> {
                    if (failure != null) {
                        result.completeExceptionally(failure);
                    } else {
                        readAnswer(answered, result);
                    }
                });
        return result;
    }

    private static void readAnswer(Answered<?> answered, CompletableFuture<Fetched> result) {
        if (answered.code() == ResponseCode.TOPIC_NOT_EXIST) {
            result.completeExceptionally(new NoRouteException("topic has no route", answered.site()));
        } else if (!answered.isOk()) {
            result.completeExceptionally(answered.refused(true));
        } else {
            try {
                result.complete(new Fetched(answered.read(TopicRouteData.class), answered.site()));
            } catch (MalformedAnswerException e) {
                result.completeExceptionally(e);
            }
        }
    }

    private void install(TopicRoute route) {
        for (BrokerData broker : route.brokers().values()) {
            brokers.put(broker.brokerName(), broker);
        }
        Entry before = routes.get(route.topic());
        long usedMs = before == null ? clock.monotonicMs() : before.usedMs; // a refresh is no use
        routes.put(route.topic(), new Entry(route, usedMs));
        if (before == null && routes.size() > forgetAbove) {
            forgetUnused();
        }
        if (before != null && route.equals(before.route)) {
            return;
        }
        LOG.info(
                "event=route_changed topic={} publishQueues={} subscribeQueues={} provisional={}",
                route.topic(),
                route.publishQueues().size(),
                route.subscribeQueues().size(),
                route.isProvisional());
        for (Consumer<TopicRoute> listener : listeners) {
            listener.accept(route);
        }
    }
}
