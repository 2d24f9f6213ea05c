package dev.perigee.bench.runner;

import dev.perigee.bench.runner.server.ServerKind;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The arguments of {@link BenchMain}.
 *
 * @param root the checkout
 * @param work folder for stores and settings; what a run leaves there is deleted after it
 * @param results where the JSON lines go
 * @param scenarios names of the rows to run; empty for all
 * @param kinds servers to run; a row is left out when fewer than one contestant remains
 * @param runs runs of each contestant, in turn
 * @param warmupMs before the window
 * @param windowMs length of the window
 * @param idleMs how long {@code start} lets the process rest, once before and once while it is watched
 * @param fillMib bodies stored before {@code recovery} kills the broker
 * @param timerRate delayed messages due per second in {@code timers}
 * @param pendingTimers others that wait meanwhile
 */
record Settings(
        Path root,
        Path work,
        Path results,
        Set<String> scenarios,
        Set<ServerKind> kinds,
        int runs,
        int warmupMs,
        int windowMs,
        int idleMs,
        int fillMib,
        int timerRate,
        int pendingTimers) {
    private static final String DEFAULT_RESULTS = "bench/runner/target/results.jsonl";
    private static final Set<String> KEYS = Set.of(
            "root",
            "work",
            "results",
            "scenarios",
            "kinds",
            "runs",
            "warmupMs",
            "windowMs",
            "idleMs",
            "fillMib",
            "timerRate",
            "pendingTimers");

    /**
     * Reads {@code key=value} words.
     *
     * @throws IllegalArgumentException for an unknown key, or a word that is none
     */
    static Settings of(String... args) {
        Map<String, String> words = new LinkedHashMap<>();
        for (String arg : args) {
            int at = arg.indexOf('=');
            if (at < 0 || !KEYS.contains(arg.substring(0, at))) {
                throw new IllegalArgumentException("'" + arg + "' is not one of " + KEYS + " with =value");
            }
            words.put(arg.substring(0, at), arg.substring(at + 1));
        }
        Path root = Path.of(words.getOrDefault("root", ".")).toAbsolutePath().normalize();
        return new Settings(
                root,
                Path.of(words.getOrDefault("work", "target/bench")).toAbsolutePath(),
                root.resolve(words.getOrDefault("results", DEFAULT_RESULTS)),
                new HashSet<>(list(words.getOrDefault("scenarios", ""))),
                kinds(words.getOrDefault("kinds", "")),
                number(words, "runs", 5),
                number(words, "warmupMs", 20_000),
                number(words, "windowMs", 20_000),
                number(words, "idleMs", 60_000),
                number(words, "fillMib", 5 * 1024),
                number(words, "timerRate", 10_000),
                number(words, "pendingTimers", 1_000_000));
    }

    boolean wants(String scenario) {
        return scenarios.isEmpty() || scenarios.contains(scenario);
    }

    private static Set<ServerKind> kinds(String text) {
        return text.isBlank()
                ? EnumSet.allOf(ServerKind.class)
                : list(text).stream().map(ServerKind::valueOf).collect(Collectors.toSet());
    }

    private static List<String> list(String text) {
        return Arrays.stream(text.split(",")).filter(word -> !word.isBlank()).toList();
    }

    private static int number(Map<String, String> words, String key, int otherwise) {
        String text = words.get(key);
        return text == null ? otherwise : Integer.parseInt(text);
    }
}
