package dev.perigee.bench.runner.figure;

import java.util.HashMap;
import java.util.Map;

/**
 * What one run gave.
 *
 * @param messages messages acknowledged or received inside the window
 * @param failed sends that failed, warm-up included
 * @param seconds length of the window
 * @param cpuMs user and system time of the broker process inside the window
 * @param paceMisses sends of a steady stream that began more than a period late
 * @param lagBytes by how much a slave was behind at the end of the window; 0 also where there is none or it does not say
 * @param flaw why the run does not count; empty when it does
 */
public record Figures(
        long messages,
        long failed,
        double seconds,
        double cpuMs,
        double p50us,
        double p99us,
        double p999us,
        long paceMisses,
        long lagBytes,
        String flaw) {
    private static final String PREFIX = "RESULT ";

    /** Reads the load program's result line; a run with failures, or without messages, is flawed. */
    public static Figures of(String result, double cpuMs) {
        Map<String, Double> values = new HashMap<>();
        for (String word : result.substring(PREFIX.length()).split(" ")) {
            int at = word.indexOf('=');
            values.put(word.substring(0, at), Double.valueOf(word.substring(at + 1)));
        }
        long messages = values.getOrDefault("count", 0.0).longValue();
        long failed = values.getOrDefault("failed", 0.0).longValue();
        return new Figures(
                messages,
                failed,
                values.getOrDefault("elapsedMs", 0.0) / 1000,
                cpuMs,
                values.getOrDefault("p50us", 0.0),
                values.getOrDefault("p99us", 0.0),
                values.getOrDefault("p999us", 0.0),
                values.getOrDefault("paceMisses", 0.0).longValue(),
                0,
                flaw(messages, failed));
    }

    /** A run that gave nothing. */
    public static Figures flawed(String why) {
        return new Figures(0, 0, 0, 0, 0, 0, 0, 0, 0, why);
    }

    private static String flaw(long messages, long failed) {
        if (failed > 0) {
            return failed + " failed";
        }
        return messages == 0 ? "no messages" : "";
    }

    /** The same, of a slave that was so far behind. */
    public Figures behind(long bytes) {
        return new Figures(messages, failed, seconds, cpuMs, p50us, p99us, p999us, paceMisses, bytes, flaw);
    }

    public boolean isSound() {
        return flaw.isEmpty();
    }

    public double perSecond() {
        return messages / seconds;
    }

    public double cpuUsPerMessage() {
        return cpuMs * 1000 / messages;
    }
}
