package dev.perigee.bench.runner;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Puts the same load on Perigee and on the stock broker, in turn, and prints medians, spreads and ratios.
 *
 * <p>Arguments, all {@code key=value}: {@code scenarios=a,b} (default all), {@code runs=5}, {@code warmupMs}, {@code windowMs}, {@code client=STOCK|PERIGEE},
 * {@code work=folder}, {@code root=checkout}.
 */
public final class BenchMain {
    private final Path root;
    private final Path work;
    private final int runs;
    private final String warmupMs;
    private final String windowMs;
    private final LoadClient client;

    private BenchMain(Map<String, String> words) {
        this.root = Path.of(words.getOrDefault("root", ".")).toAbsolutePath();
        this.work = Path.of(words.getOrDefault("work", "target/bench")).toAbsolutePath();
        this.runs = Integer.parseInt(words.getOrDefault("runs", "5"));
        this.warmupMs = words.getOrDefault("warmupMs", "20000");
        this.windowMs = words.getOrDefault("windowMs", "20000");
        this.client = LoadClient.valueOf(words.getOrDefault("client", "STOCK"));
    }

    public static void main(String[] args) throws Exception {
        Map<String, String> words = new LinkedHashMap<>();
        for (String arg : args) {
            int at = arg.indexOf('=');
            words.put(arg.substring(0, at), arg.substring(at + 1));
        }
        List<String> wanted = List.of(words.getOrDefault("scenarios", "").split(","));
        BenchMain bench = new BenchMain(words);
        for (Scenario scenario : Scenario.all()) {
            if (wanted.contains("") || wanted.contains(scenario.name())) {
                bench.compare(scenario);
            }
        }
    }

    private void compare(Scenario scenario) throws IOException, InterruptedException {
        Map<ServerKind, List<Figures>> all = new EnumMap<>(ServerKind.class);
        for (int i = 0; i < runs; i++) {
            for (ServerKind kind : ServerKind.values()) {
                Figures figures = once(kind, scenario, i);
                all.computeIfAbsent(kind, k -> new ArrayList<>()).add(figures);
                System.out.printf(
                        "%s run %d %s: %.0f msg/s, %.2f us CPU per message, p50 %.0f us, p99 %.0f us, failed %d%n",
                        scenario.name(),
                        i,
                        kind,
                        figures.perSecond(),
                        figures.cpuUsPerMessage(),
                        figures.p50us(),
                        figures.p99us(),
                        figures.failed());
            }
        }
        print(scenario, all.getOrDefault(ServerKind.PERIGEE, List.of()), all.getOrDefault(ServerKind.STOCK, List.of()));
    }

    private Figures once(ServerKind kind, Scenario scenario, int run) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(work.resolve(scenario.name() + "-" + kind + "-" + run));
        try (Server server = kind.start(folder, scenario.flush())) {
            Map<String, String> plan = new LinkedHashMap<>(scenario.load());
            plan.put("servers", server.nameServer());
            plan.put("warmupMs", warmupMs);
            plan.put("windowMs", windowMs);
            if (scenario.fill() > 0) {
                Map<String, String> fill = new LinkedHashMap<>(plan);
                fill.put("mode", "fill");
                fill.put("threads", "2");
                fill.put("count", Long.toString(scenario.fill()));
                client.run(root, fill, server.broker());
            }
            return client.run(root, plan, server.broker());
        } finally {
            delete(folder);
        }
    }

    private static void print(Scenario scenario, List<Figures> ours, List<Figures> stock) {
        List<String[]> rows = List.of(
                row("messages per second", ours, stock, Figures::perSecond),
                row("broker CPU us per message", ours, stock, Figures::cpuUsPerMessage),
                row("p50 us", ours, stock, Figures::p50us),
                row("p99 us", ours, stock, Figures::p99us),
                row("p99.9 us", ours, stock, Figures::p999us));
        System.out.println("== " + scenario.name() + ", " + scenario.flush() + ", " + ours.size() + " runs each");
        System.out.println(AsciiTable.getTable(
                rows,
                List.of(
                        new Column().header("figure").with(r -> r[0]),
                        new Column().header("perigee").with(r -> r[1]),
                        new Column().header("spread").with(r -> r[2]),
                        new Column().header("stock").with(r -> r[3]),
                        new Column().header("spread").with(r -> r[4]),
                        new Column().header("ratio").with(r -> r[5]))));
    }

    private static String[] row(
            String name, List<Figures> ours, List<Figures> stock, java.util.function.ToDoubleFunction<Figures> figure) {
        double a = Figures.median(ours, figure);
        double b = Figures.median(stock, figure);
        return new String[] {
            name,
            String.format("%.1f", a),
            Figures.spread(ours, figure),
            String.format("%.1f", b),
            Figures.spread(stock, figure),
            String.format("%.2f", a / b)
        };
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> walk = Files.walk(folder)) {
            for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
