package dev.perigee.bench.runner;

import dev.perigee.bench.runner.figure.Figures;
import dev.perigee.bench.runner.figure.MarkdownRows;
import dev.perigee.bench.runner.figure.ResultLog;
import dev.perigee.bench.runner.figure.Samples;
import dev.perigee.bench.runner.server.Server;
import dev.perigee.bench.runner.server.ServerKind;
import dev.perigee.bench.runner.server.SlaveLag;
import dev.perigee.bench.runner.server.Watched;
import dev.perigee.harness.campaign.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * How far a slave is behind its master at half of the peak: asynchronous sends as fast as they go say what the peak is, then the same
 * pair gets half of it, steadily, while the master is asked every few milliseconds. A run that did not get that half does not count.
 */
final class LagRow {
    static final String NAME = "pair-lag";

    private static final List<String> FLUSHES = List.of(Scenario.ASYNC, Scenario.SYNC);
    private static final Map<String, String> LOAD = Map.of("mode", "async", "threads", "2");
    /** Less of what was asked for than this is not half of the peak any more. */
    private static final double ENOUGH = 0.95;

    private static final String FLAW = "flaw";
    private static final String[][] FIGURES = {
        {"peak, messages/s", "peak"},
        {"half of it, messages/s", "half"},
        {"slave behind, p50 ms", "lagP50ms"},
        {"slave behind, p99 ms", "lagP99ms"},
        {"slave behind, most ms", "lagMaxMs"},
        {"looks at the slave", "looks"}
    };

    private final Settings settings;
    private final ResultLog log;

    LagRow(Settings settings, ResultLog log) {
        this.settings = settings;
        this.log = log;
    }

    /** Runs all and prints the rows, for each way of flushing. Blocks. */
    void run() throws IOException, InterruptedException {
        for (String flush : FLUSHES) {
            List<Map<String, Object>> sound = new ArrayList<>();
            for (int i = 0; i < settings.runs(); i++) {
                Path folder = Files.createDirectories(settings.work().resolve(NAME + "-" + flush + "-" + i));
                Map<String, Object> figures;
                try {
                    figures = once(folder, flush);
                } finally {
                    Folders.delete(folder);
                }
                boolean counts = "".equals(figures.get(FLAW));
                System.out.println(NAME + " " + flush + " run " + i + ": " + figures
                        + (counts ? "" : "   *** DOES NOT COUNT ***"));
                log.append(fields(i, flush, figures));
                if (counts) {
                    sound.add(figures);
                }
            }
            print(flush, sound);
        }
    }

    private Map<String, Object> once(Path folder, String flush) throws IOException, InterruptedException {
        try (Server pair = ServerKind.PERIGEE_PAIR.start(folder, flush)) {
            Figures created = load(folder, pair, pair, Map.of("mode", "create"));
            if (!created.isSound()) {
                return Map.of(FLAW, "creating topics: " + created.flaw());
            }
            Figures peak = load(folder, pair, pair, Map.of());
            if (!peak.isSound()) {
                return Map.of(FLAW, "peak: " + peak.flaw());
            }
            int rate = (int) Math.max(1, peak.perSecond() / 2);
            try (SlaveLag lag = pair.slaveLag()) {
                LagSamples samples = new LagSamples(pair, lag::lagMs);
                Figures half = load(folder, pair, samples, Map.of("mode", "paced", "rate", Integer.toString(rate)));
                return figures(peak, half, rate, samples);
            }
        }
    }

    private Figures load(Path folder, Server pair, Watched watched, Map<String, String> words)
            throws IOException, InterruptedException {
        Map<String, String> plan = new LinkedHashMap<>(LOAD);
        plan.put("queues", Integer.toString(Scenario.QUEUES));
        plan.put("servers", pair.bootstrap());
        plan.put("warmupMs", Integer.toString(settings.warmupMs()));
        plan.put("windowMs", Integer.toString(settings.windowMs()));
        plan.putAll(words);
        return LoadClient.STOCK.run(settings.root(), folder, plan, watched);
    }

    private static Map<String, Object> figures(Figures peak, Figures half, int rate, LagSamples samples) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put(FLAW, flaw(half, rate, samples));
        figures.put("peak", peak.perSecond());
        figures.put("half", half.perSecond());
        figures.put("lagP50ms", (double) samples.percentile(50));
        figures.put("lagP99ms", (double) samples.percentile(99));
        figures.put("lagMaxMs", (double) samples.percentile(100));
        figures.put("looks", (double) samples.count());
        figures.put("sendP99us", half.p99us());
        return figures;
    }

    /** Why a run says nothing of the lag at that rate; empty when it does. */
    static String flaw(Figures half, int rate, LagSamples samples) {
        if (!half.isSound()) {
            return "half of the peak: " + half.flaw();
        }
        if (half.perSecond() < ENOUGH * rate) {
            return String.format(Locale.ROOT, "%.0f of %d messages/s", half.perSecond(), rate);
        }
        return samples.flaw();
    }

    private Map<String, Object> fields(int run, String flush, Map<String, Object> figures) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("row", NAME);
        fields.put("run", run);
        fields.put("server", ServerKind.PERIGEE_PAIR.name());
        fields.put("serverSettings", ServerKind.PERIGEE_PAIR.settings());
        fields.put("flush", flush);
        fields.put("warmupMs", settings.warmupMs());
        fields.put("windowMs", settings.windowMs());
        fields.putAll(figures);
        return fields;
    }

    private static void print(String flush, List<Map<String, Object>> runs) {
        MarkdownRows rows = new MarkdownRows(NAME + " " + flush, "Perigee pair", "peer");
        for (String[] figure : FIGURES) {
            Samples ours = new Samples(runs.stream()
                    .mapToDouble(each -> (Double) Objects.requireNonNull(each.get(figure[1])))
                    .toArray());
            rows.add(figure[0], ours, new Samples());
        }
        System.out.println();
        System.out.println(rows);
        System.out.println();
    }
}
