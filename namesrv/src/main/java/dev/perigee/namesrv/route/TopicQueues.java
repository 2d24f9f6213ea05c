package dev.perigee.namesrv.route;

import dev.perigee.loop.OwnedBy;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Topic → broker name → queues. Changed on the route loop, read by any thread: every inner map is immutable and replaced
 * whole.
 */
@OwnedBy("route loop")
final class TopicQueues {
    private final Map<String, SortedMap<String, QueueSetting>> topics = new ConcurrentHashMap<>();

    @Nullable
    SortedMap<String, QueueSetting> find(String topic) {
        return topics.get(topic);
    }

    SortedSet<String> names() {
        return new TreeSet<>(topics.keySet());
    }

    /** How many topics there are. */
    int count() {
        return topics.size();
    }

    SortedSet<String> where(Predicate<SortedMap<String, QueueSetting>> wanted) {
        TreeSet<String> found = new TreeSet<>();
        topics.forEach((topic, queues) -> {
            if (wanted.test(queues)) {
                found.add(topic);
            }
        });
        return found;
    }

    /** A broker's queues in a topic; null when it has none. */
    @Nullable
    QueueSetting find(String topic, String brokerName) {
        SortedMap<String, QueueSetting> known = topics.get(topic);
        return known == null ? null : known.get(brokerName);
    }

    void put(String topic, String brokerName, QueueSetting queues) {
        SortedMap<String, QueueSetting> known = topics.get(topic);
        if (known != null && queues.equals(known.get(brokerName))) {
            return;
        }
        TreeMap<String, QueueSetting> changed = known == null ? new TreeMap<>() : new TreeMap<>(known);
        changed.put(brokerName, queues);
        topics.put(topic, Collections.unmodifiableSortedMap(changed));
    }

    /** Drops a topic on every broker. */
    void remove(String topic) {
        topics.remove(topic);
    }

    /** Drops what a broker has beyond the listed topics. */
    void removeUnlisted(String brokerName, Set<String> listed) {
        for (String topic : topics.keySet()) {
            if (!listed.contains(topic)) {
                change(topic, brokerName, queues -> null);
            }
        }
    }

    /** Changes one broker's queues in all topics; a change to null removes them. Returns how many topics had any. */
    int changeAll(String brokerName, UnaryOperator<@Nullable QueueSetting> change) {
        int touched = 0;
        for (String topic : topics.keySet()) {
            touched += change(topic, brokerName, change);
        }
        return touched;
    }

    /** Changes one broker's queues in one topic; a topic without queues vanishes. Returns 1 when there were any. */
    int change(String topic, String brokerName, UnaryOperator<@Nullable QueueSetting> change) {
        SortedMap<String, QueueSetting> known = topics.get(topic);
        QueueSetting queues = known == null ? null : known.get(brokerName);
        if (known == null || queues == null) {
            return 0;
        }
        QueueSetting result = change.apply(queues);
        TreeMap<String, QueueSetting> changed = new TreeMap<>(known);
        if (result == null) {
            changed.remove(brokerName);
        } else {
            changed.put(brokerName, result);
        }
        if (changed.isEmpty()) {
            topics.remove(topic);
        } else {
            topics.put(topic, Collections.unmodifiableSortedMap(changed));
        }
        return 1;
    }
}
