package dev.perigee.bench.runner;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What one run gave.
 *
 * @param messages messages acknowledged or received inside the window
 * @param failed sends that failed, warm-up included
 * @param seconds length of the window
 * @param cpuMs user and system time of the broker process inside the window
 */
record Figures(long messages, long failed, double seconds, double cpuMs, double p50us, double p99us, double p999us) {
    /** Reads the load program's result line. */
    static Figures of(String result, double cpuMs) {
        Map<String, Double> values = new HashMap<>();
        for (String word : result.substring("RESULT ".length()).split(" ")) {
            int at = word.indexOf('=');
            values.put(word.substring(0, at), Double.valueOf(word.substring(at + 1)));
        }
        return new Figures(
                values.getOrDefault("count", 0.0).longValue(),
                values.getOrDefault("failed", 0.0).longValue(),
                values.getOrDefault("elapsedMs", 0.0) / 1000,
                cpuMs,
                values.getOrDefault("p50us", 0.0),
                values.getOrDefault("p99us", 0.0),
                values.getOrDefault("p999us", 0.0));
    }

    double perSecond() {
        return messages / seconds;
    }

    double cpuUsPerMessage() {
        return cpuMs * 1000 / messages;
    }

    static double median(List<Figures> runs, ToDoubleFunction<Figures> figure) {
        double[] sorted = runs.stream().mapToDouble(figure).sorted().toArray();
        return sorted.length == 0 ? Double.NaN : sorted[sorted.length / 2];
    }

    /** Smallest to largest, as text. */
    static String spread(List<Figures> runs, ToDoubleFunction<Figures> figure) {
        double[] sorted = runs.stream().mapToDouble(figure).toArray();
        Arrays.sort(sorted);
        return sorted.length == 0 ? "" : String.format("%.1f–%.1f", sorted[0], sorted[sorted.length - 1]);
    }
}
