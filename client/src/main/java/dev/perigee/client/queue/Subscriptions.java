package dev.perigee.client.queue;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.group.SubscriptionData;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** What a consumer subscribes to: one expression for each topic. */
@ThreadSafe
public final class Subscriptions {
    private final Clock clock;
    private final ConcurrentMap<String, SubscriptionData> byTopic = new ConcurrentHashMap<>();

    public Subscriptions(Clock clock) {
        this.clock = clock;
    }

    /** Subscribes to a topic by tags: {@code *} for all, otherwise tags joined by {@code ||}. Replaces an earlier one. */
    public void put(String topic, String expression) {
        byTopic.put(topic, SubscriptionData.ofTags(topic, expression, clock.wallMs()));
    }

    /** Ends a subscription. */
    public void remove(String topic) {
        byTopic.remove(topic);
    }

    public Optional<SubscriptionData> of(String topic) {
        return Optional.ofNullable(byTopic.get(topic));
    }

    public Set<String> topics() {
        return Set.copyOf(byTopic.keySet());
    }

    public Collection<SubscriptionData> all() {
        return List.copyOf(byTopic.values());
    }
}
