package dev.perigee.bench.runner;

import dev.perigee.bench.runner.figure.Figure;
import dev.perigee.bench.runner.figure.Figures;
import dev.perigee.bench.runner.figure.MarkdownRows;
import dev.perigee.bench.runner.figure.ResultLog;
import dev.perigee.bench.runner.server.Server;
import dev.perigee.harness.campaign.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Runs the contestants of one scenario in turn, each time on a fresh server. */
final class Comparison {
    private final Settings settings;
    private final ResultLog log;
    private final Scenario scenario;
    private final List<Contestant> contestants;

    /** Contestants whose kind is not wanted are left out. */
    Comparison(Settings settings, ResultLog log, Scenario scenario) {
        this.settings = settings;
        this.log = log;
        this.scenario = scenario;
        this.contestants = scenario.contestants().stream()
                .filter(contestant -> settings.kinds().contains(contestant.server()))
                .toList();
    }

    /** Runs all and prints the rows. Blocks. */
    void run() throws IOException, InterruptedException {
        if (contestants.isEmpty()) {
            return;
        }
        Map<Contestant, List<Figures>> all = new LinkedHashMap<>();
        for (int i = 0; i < settings.runs(); i++) {
            for (Contestant contestant : contestants) {
                Figures figures = once(contestant, i);
                all.computeIfAbsent(contestant, first -> new ArrayList<>()).add(figures);
                print(contestant, i, figures);
                log.append(fields(contestant, i, figures));
            }
        }
        report(all);
    }

    private Figures once(Contestant contestant, int run) throws IOException, InterruptedException {
        Path folder = settings.work().resolve(scenario.name() + "-" + contestants.indexOf(contestant) + "-" + run);
        Files.createDirectories(folder);
        try (Server server = contestant.server().start(folder, scenario.flush())) {
            Map<String, String> plan = new LinkedHashMap<>(scenario.loadFor(contestant));
            plan.put("servers", server.bootstrap());
            plan.put("warmupMs", Integer.toString(settings.warmupMs()));
            plan.put("windowMs", Integer.toString(settings.windowMs()));
            Figures created = contestant.client().run(settings.root(), folder, with(plan, "mode", "create"), server);
            if (!created.isSound()) {
                return Figures.flawed("creating topics: " + created.flaw());
            }
            if (scenario.fill() > 0) {
                Map<String, String> fill = with(with(plan, "mode", "fill"), "threads", "2");
                Figures filled = contestant.client().run(settings.root(), folder, fill, server);
                if (!filled.isSound()) {
                    return Figures.flawed("filling: " + filled.flaw());
                }
            }
            return contestant.client().run(settings.root(), folder, plan, server);
        } finally {
            Folders.delete(folder);
        }
    }

    private static Map<String, String> with(Map<String, String> plan, String key, String value) {
        Map<String, String> more = new LinkedHashMap<>(plan);
        more.put(key, value);
        return more;
    }

    private void print(Contestant contestant, int run, Figures figures) {
        System.out.printf(
                Locale.ROOT,
                "%s run %d, %s: %,.0f messages/s, %.2f us CPU per message, p50 %.0f us, p99 %.0f us%s%n",
                scenario.name(),
                run,
                contestant.name(),
                figures.perSecond(),
                figures.cpuUsPerMessage(),
                figures.p50us(),
                figures.p99us(),
                figures.isSound() ? "" : "   *** DOES NOT COUNT: " + figures.flaw() + " ***");
    }

    private Map<String, Object> fields(Contestant contestant, int run, Figures figures) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("row", scenario.name());
        fields.put("run", run);
        fields.put("contestant", contestant.name());
        fields.put("server", contestant.server().name());
        fields.put("serverSettings", contestant.server().settings());
        fields.put("client", contestant.client().name());
        fields.put("flush", scenario.flush());
        fields.put("load", scenario.loadFor(contestant));
        fields.put("warmupMs", settings.warmupMs());
        fields.put("windowMs", settings.windowMs());
        fields.put("flaw", figures.flaw());
        fields.put("messages", figures.messages());
        fields.put("failed", figures.failed());
        fields.put("seconds", figures.seconds());
        fields.put("cpuMs", figures.cpuMs());
        fields.put("p50us", figures.p50us());
        fields.put("p99us", figures.p99us());
        fields.put("p999us", figures.p999us());
        fields.put("paceMisses", figures.paceMisses());
        fields.put("lagBytes", figures.lagBytes());
        return fields;
    }

    private void report(Map<Contestant, List<Figures>> all) {
        System.out.println();
        System.out.println("== " + scenario.name() + ", " + scenario.flush() + ", " + scenario.load());
        all.forEach((contestant, runs) -> System.out.println("   " + contestant.name() + ": "
                + runs.stream().filter(Figures::isSound).count() + " of " + runs.size() + " runs count; "
                + contestant.server() + " (" + contestant.server().settings() + ") with the client of "
                + contestant.client() + " " + contestant.load()));
        Contestant first = contestants.get(0);
        List<Figures> ours = all.getOrDefault(first, List.of());
        for (Contestant peer : contestants.size() == 1 ? contestants : contestants.subList(1, contestants.size())) {
            MarkdownRows rows = new MarkdownRows(scenario.name(), first.name(), peer.name());
            List<Figures> others = peer.equals(first) ? List.of() : all.getOrDefault(peer, List.of());
            for (Figure figure : Figure.values()) {
                rows.addIfGiven(figure.title(), figure.of(ours), figure.of(others));
            }
            System.out.println();
            System.out.println(rows);
        }
        System.out.println();
    }
}
