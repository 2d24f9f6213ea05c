package dev.perigee.namesrv.route;

import dev.perigee.loop.OwnedBy;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Which broker names each cluster has. One writer; readers on any thread see immutable sets. */
@OwnedBy("route loop")
final class Clusters {
    private final Map<String, SortedSet<String>> names = new ConcurrentHashMap<>();

    void add(String cluster, String brokerName) {
        names.compute(cluster, (key, known) -> plus(known, brokerName));
    }

    /** A cluster without a name is gone; nothing happens when it has not this one. */
    void remove(String cluster, String brokerName) {
        names.computeIfPresent(cluster, (key, known) -> minus(known, brokerName));
    }

    /** In order; empty for a cluster that is not known. Any thread. */
    SortedSet<String> namesOf(String cluster) {
        return names.getOrDefault(cluster, Collections.emptySortedSet());
    }

    /** A copy. Any thread. */
    SortedMap<String, SortedSet<String>> all() {
        return new TreeMap<>(names);
    }

    private static SortedSet<String> plus(@Nullable SortedSet<String> known, String name) {
        TreeSet<String> changed = known == null ? new TreeSet<>() : new TreeSet<>(known);
        changed.add(name);
        return Collections.unmodifiableSortedSet(changed);
    }

    private static @Nullable SortedSet<String> minus(SortedSet<String> known, String name) {
        TreeSet<String> changed = new TreeSet<>(known);
        changed.remove(name);
        return changed.isEmpty() ? null : Collections.unmodifiableSortedSet(changed);
    }
}
