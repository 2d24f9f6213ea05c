package dev.perigee.client.queue;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.protocol.topic.TopicName;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
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

    /** Subscribes to a topic by tags, as {@link #put(String, TopicFilter)} does. */
    public void put(String topic, String expression) {
        put(topic, TopicFilter.tags(expression));
    }

    /**
     * Subscribes to a topic. Replaces an earlier subscription.
     *
     * @throws IllegalArgumentException when the topic cannot be consumed or the expression cannot be read, naming it
     */
    public void put(String topic, TopicFilter filter) {
        String problem = TopicName.problem(topic);
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
        if (SystemTopic.isForbiddenToSend(topic)) {
            throw new IllegalArgumentException(
                    "the topic[" + topic + "] is kept by brokers for themselves and cannot be subscribed");
        }
        byTopic.put(topic, filter.of(topic, clock.wallMs()));
    }

    /** Ends a subscription. */
    public void remove(String topic) {
        byTopic.remove(topic);
    }

    public Optional<SubscriptionData> of(String topic) {
        return Optional.ofNullable(byTopic.get(topic));
    }

    /** In the order of their names, so that the same clients take the same course. */
    public Set<String> topics() {
        return new TreeSet<>(byTopic.keySet());
    }

    public Collection<SubscriptionData> all() {
        return List.copyOf(byTopic.values());
    }
}
