package dev.perigee.broker.stats;

import dev.perigee.loop.ThreadSafe;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Counts messages by topic and group. Beyond the limit, pairs that are new are counted only in the total. */
@ThreadSafe
public final class PairCounts {
    private static final char SEPARATOR = '@';

    private final ConcurrentHashMap<String, Meter> pairs = new ConcurrentHashMap<>();
    private final Meter total = new Meter();
    private final int maxPairs;

    PairCounts(int maxPairs) {
        this.maxPairs = maxPairs;
    }

    void add(String topic, String group) {
        total.add(1);
        String key = topic + SEPARATOR + group;
        Meter meter = pairs.get(key);
        if (meter == null && pairs.size() < maxPairs) {
            meter = pairs.computeIfAbsent(key, pair -> new Meter());
        }
        if (meter != null) {
            meter.add(1);
        }
    }

    void sample() {
        total.sample();
        pairs.values().forEach(Meter::sample);
    }

    void forgetTopic(String topic) {
        pairs.keySet().removeIf(pair -> pair.startsWith(topic + SEPARATOR));
    }

    void forgetGroup(String group) {
        pairs.keySet().removeIf(pair -> pair.endsWith(SEPARATOR + group));
    }

    /** The count of a pair, {@code topic@group}; null when it is not counted apart. */
    @Nullable
    Meter find(String pair) {
        return pairs.get(pair);
    }

    /** Every pair that is counted apart, as {@code topic@group}. */
    public Map<String, Meter> pairs() {
        return pairs;
    }

    /** All together. */
    public Meter total() {
        return total;
    }
}
