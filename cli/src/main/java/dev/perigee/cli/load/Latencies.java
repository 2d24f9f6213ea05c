package dev.perigee.cli.load;

import dev.perigee.loop.ThreadSafe;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Collects durations, each of them, and tells percentiles at the end. What does not fit is counted and left out. */
@ThreadSafe
public final class Latencies {
    private static final double NS_PER_MS = 1e6;

    private final long[] ns;
    private final AtomicInteger taken = new AtomicInteger();

    public Latencies(int capacity) {
        this.ns = new long[capacity];
    }

    void add(long durationNs) {
        int index = taken.getAndIncrement();
        if (index < ns.length) {
            ns[index] = durationNs;
        }
    }

    /** Percentiles in milliseconds. To be called when nobody adds any more. */
    public Map<String, Double> percentilesMs() {
        long[] sorted = Arrays.copyOf(ns, Math.min(ns.length, taken.get()));
        Arrays.sort(sorted);
        Map<String, Double> percentiles = new LinkedHashMap<>();
        percentiles.put("p50Ms", at(sorted, 0.50));
        percentiles.put("p99Ms", at(sorted, 0.99));
        percentiles.put("p999Ms", at(sorted, 0.999));
        percentiles.put("maxMs", at(sorted, 1));
        return percentiles;
    }

    private static double at(long[] sorted, double share) {
        if (sorted.length == 0) {
            return 0;
        }
        int index = (int) Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1);
        return Math.round(sorted[Math.max(0, index)] / NS_PER_MS * 1_000) / 1_000.0;
    }
}
