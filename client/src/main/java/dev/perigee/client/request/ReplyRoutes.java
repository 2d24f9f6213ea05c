package dev.perigee.client.request;

import dev.perigee.client.error.Completion;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.route.TopicRoute;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.topic.SystemTopic;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes this client known wherever a reply may be given up: a broker pushes it only to clients whose heartbeat it has, and which
 * broker the reply goes to is the replier's choice among those of the reply topic.
 */
@ThreadSafe
final class ReplyRoutes {
    /** Brokers that were lost are greeted again at most so often. */
    private static final long GREET_AGAIN_MS = 1_000;

    private final ClientInstance instance;
    /** Addresses that have answered a heartbeat, or have had their time to. */
    private final Set<String> greeted = ConcurrentHashMap.newKeySet();

    private final AtomicLong greetedAgainMs = new AtomicLong(Long.MIN_VALUE);

    ReplyRoutes(ClientInstance instance) {
        this.instance = instance;
    }

    /**
     * Completed when every broker that a reply to this topic's messages may go through has had a heartbeat of ours and has
     * answered it or failed. Never fails: who cannot be reached now cannot push a reply either, but another one may.
     */
    CompletableFuture<Void> ready(TopicRoute route) {
        CompletableFuture<?>[] known = clusters(route).stream()
                .map(cluster ->
                        instance.routes().get(SystemTopic.reply(cluster)).handle((found, failure) -> null))
                .toArray(CompletableFuture<?>[]::new);
        CompletableFuture<Void> ready = new CompletableFuture<>();
        Completion.on(CompletableFuture.allOf(known), (done, failure) -> greet(ready));
        return ready;
    }

    private static Set<String> clusters(TopicRoute route) {
        Set<String> clusters = new TreeSet<>();
        for (BrokerData broker : route.brokers().values()) {
            clusters.add(broker.cluster());
        }
        return clusters;
    }

    private void greet(CompletableFuture<Void> ready) {
        Set<String> addresses = instance.heartbeats().addresses(false);
        if (greeted.containsAll(addresses)) {
            greetLost(addresses);
            ready.complete(null);
            return;
        }
        Completion.on(instance.heartbeats().beatAll(), (done, failure) -> {
            greeted.retainAll(addresses);
            greeted.addAll(addresses);
            ready.complete(null);
        });
    }

    /** A broker that has lost our connection has forgotten us; the request does not wait for it. */
    private void greetLost(Set<String> addresses) {
        long nowMs = instance.clock().monotonicMs();
        long lastMs = greetedAgainMs.get();
        boolean isLost = addresses.stream()
                .anyMatch(address -> instance.remoting().connection(address).isEmpty());
        boolean isTime = lastMs == Long.MIN_VALUE || nowMs - lastMs >= GREET_AGAIN_MS;
        if (isLost && isTime && greetedAgainMs.compareAndSet(lastMs, nowMs)) {
            instance.heartbeats().beatSoon();
        }
    }
}
