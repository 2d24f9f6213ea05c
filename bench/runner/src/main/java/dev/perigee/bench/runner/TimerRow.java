package dev.perigee.bench.runner;

import dev.perigee.bench.runner.figure.MarkdownRows;
import dev.perigee.bench.runner.figure.ResultLog;
import dev.perigee.bench.runner.figure.Samples;
import dev.perigee.bench.runner.server.ServerKind;
import dev.perigee.harness.campaign.Folders;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How exactly {@code up} delivers delayed messages: {@code timerRate} due per second, while {@code pendingTimers} others wait. The
 * load program says how far store time and arrival were from the due time. A run with an early or a missing message does not count.
 */
final class TimerRow {
    static final String NAME = "timers";

    private static final String RESULT = "RESULT ";
    private static final List<String> FLAWS = List.of("failed", "early", "missing");
    private static final String[][] FIGURES = {
        {"store time − due, p50 µs", "storeP50us"},
        {"store time − due, p99 µs", "storeP99us"},
        {"store time − due, p99.9 µs", "storeP999us"},
        {"store time − due, most µs", "storeMaxUs"},
        {"arrival − due, p50 µs", "arrivalP50us"},
        {"arrival − due, p99 µs", "arrivalP99us"},
        {"arrival − due, p99.9 µs", "arrivalP999us"},
        {"arrival − due, most µs", "arrivalMaxUs"},
        {"early", "early"}
    };

    private final Settings settings;
    private final ResultLog log;

    TimerRow(Settings settings, ResultLog log) {
        this.settings = settings;
        this.log = log;
    }

    /** Runs all and prints the rows, for each way of flushing. Blocks. */
    void run() throws IOException, InterruptedException {
        UpProcess.prepare(settings.root());
        for (String flush : List.of("ASYNC_FLUSH", "SYNC_FLUSH")) {
            List<Map<String, Double>> sound = new ArrayList<>();
            for (int i = 0; i < settings.runs(); i++) {
                Path folder = Files.createDirectories(settings.work().resolve(NAME + "-" + flush + "-" + i));
                Map<String, Double> figures;
                try {
                    figures = once(folder, flush);
                } finally {
                    Folders.delete(folder);
                }
                boolean counts = counts(figures);
                System.out.println(
                        NAME + " " + flush + " run " + i + ": " + figures + (counts ? "" : " DOES NOT COUNT"));
                log.append(fields(i, flush, figures));
                if (counts) {
                    sound.add(figures);
                }
            }
            print(flush, sound);
        }
    }

    private static boolean counts(Map<String, Double> figures) {
        return !figures.isEmpty() && FLAWS.stream().allMatch(each -> figures.getOrDefault(each, 1.0) == 0);
    }

    private Map<String, Double> once(Path folder, String flush) throws IOException, InterruptedException {
        UpProcess.Address address = UpProcess.Address.free();
        Map<String, String> plan = new LinkedHashMap<>();
        plan.put("servers", address.nameServer());
        plan.put("rate", Integer.toString(settings.timerRate()));
        plan.put("warmup", Integer.toString(settings.warmupMs() / 1_000));
        plan.put("seconds", Integer.toString(settings.windowMs() / 1_000));
        plan.put("pending", Integer.toString(settings.pendingTimers()));
        try (UpProcess up =
                UpProcess.launch(settings.root(), folder.resolve("data"), address, "--set", "flushDiskType=" + flush)) {
            up.awaitReady();
            Process load = LoadClient.PERIGEE_TIMERS.start(settings.root(), plan, folder.resolve("client.err"));
            try {
                return read(load, folder.resolve("client.err"));
            } finally {
                load.destroyForcibly().waitFor();
            }
        }
    }

    private static Map<String, Double> read(Process load, Path errors) throws IOException {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(load.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(RESULT)) {
                    Map<String, Double> figures = new LinkedHashMap<>();
                    for (String word : line.substring(RESULT.length()).split(" ")) {
                        int at = word.indexOf('=');
                        figures.put(word.substring(0, at), Double.valueOf(word.substring(at + 1)));
                    }
                    return figures;
                }
                System.out.println("  " + line);
            }
        }
        System.out.println(Files.readString(errors));
        return Map.of();
    }

    private Map<String, Object> fields(int run, String flush, Map<String, Double> figures) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("row", NAME);
        fields.put("run", run);
        fields.put("server", ServerKind.PERIGEE.name());
        fields.put("flush", flush);
        fields.put("warmupMs", settings.warmupMs());
        fields.put("timerRate", settings.timerRate());
        fields.put("pendingTimers", settings.pendingTimers());
        fields.putAll(figures);
        return fields;
    }

    private static void print(String flush, List<Map<String, Double>> runs) {
        MarkdownRows rows = new MarkdownRows(NAME + " " + flush, "Perigee", "peer");
        Samples none = new Samples();
        for (String[] figure : FIGURES) {
            rows.add(
                    figure[0],
                    new Samples(runs.stream()
                            .mapToDouble(each -> each.get(figure[1]))
                            .toArray()),
                    none);
        }
        System.out.println();
        System.out.println(rows);
        System.out.println();
    }
}
