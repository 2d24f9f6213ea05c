package dev.perigee.client.route;

import dev.perigee.client.error.Answered;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.MalformedAnswerException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.route.RouteHeader;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.route.TopicRouteData;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.remoting.call.Deadline;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The routes of every topic this client uses. Reads are answered from memory; {@link #refreshAll} is called every 30 s by
 * the client loop. A topic that vanishes from the NameServers keeps its old route, so that a NameServer that just
 * restarted empties nobody's table.
 */
@ThreadSafe
public final class RouteCache {
    private static final Logger LOG = LoggerFactory.getLogger(RouteCache.class);

    private final NameServers nameServers;
    private final Clock clock;
    private final long fetchTimeoutMs;
    private final ConcurrentMap<String, TopicRoute> routes = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, BrokerData> brokers = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, CompletableFuture<TopicRoute>> fetches = new ConcurrentHashMap<>();
    private final Set<String> wanted = ConcurrentHashMap.newKeySet();
    private final List<Consumer<TopicRoute>> listeners = new CopyOnWriteArrayList<>();

    public RouteCache(NameServers nameServers, Clock clock, long fetchTimeoutMs) {
        this.nameServers = nameServers;
        this.clock = clock;
        this.fetchTimeoutMs = fetchTimeoutMs;
    }

    /** Calls the listener, on an event loop, whenever a topic's route differs from the one known before. */
    public void onChange(Consumer<TopicRoute> listener) {
        listeners.add(listener);
    }

    /** The route in memory, if any. */
    public Optional<TopicRoute> known(String topic) {
        return Optional.ofNullable(routes.get(topic));
    }

    /** The topics with a route in memory. */
    public Set<String> topics() {
        return Set.copyOf(routes.keySet());
    }

    /** The brokers of all routes in memory, by name. */
    public Map<String, BrokerData> brokers() {
        return Map.copyOf(brokers);
    }

    /** The address of a broker's master, if known. */
    public Optional<String> masterAddress(String brokerName) {
        BrokerData broker = brokers.get(brokerName);
        return broker == null ? Optional.empty() : Optional.ofNullable(broker.masterAddress());
    }

    /** The address of one member of a broker, or of any other when that id is unknown. */
    public Optional<String> address(String brokerName, long preferredId) {
        BrokerData broker = brokers.get(brokerName);
        if (broker == null) {
            return Optional.empty();
        }
        String preferred = broker.brokerAddrs().get(preferredId);
        return preferred != null
                ? Optional.of(preferred)
                : broker.brokerAddrs().values().stream().findFirst();
    }

    /**
     * The route from memory, else from a NameServer. Fails with {@link NoRouteException} when the topic has none, or with
     * another {@link ClientException}.
     */
    public CompletableFuture<TopicRoute> get(String topic) {
        TopicRoute known = routes.get(topic);
        return known != null && !known.isProvisional() ? CompletableFuture.completedFuture(known) : refresh(topic);
    }

    /**
     * As {@link #get}, but a topic without a route gets the one of the template topic, with at most so many queues a
     * broker: the broker then creates the topic at the first send.
     */
    public CompletableFuture<TopicRoute> getForPublish(String topic, int maxQueues) {
        TopicRoute known = routes.get(topic);
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
            wanted.add(site.topic());
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
        for (String topic : wanted) {
            Completion.on(refresh(topic), (route, failure) -> {
                if (failure != null) {
                    LOG.debug("event=route_not_refreshed topic={} reason=\"{}\"", topic, failure.getMessage());
                }
            });
        }
    }

    /** Forgets a topic that is no longer used. */
    public void forget(String topic) {
        wanted.remove(topic);
        routes.remove(topic);
    }

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
        TopicRoute before = routes.put(route.topic(), route);
        if (route.equals(before)) {
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
