package dev.perigee.bench.runner;

import dev.perigee.bench.runner.figure.MarkdownRows;
import dev.perigee.bench.runner.figure.ResultLog;
import dev.perigee.bench.runner.figure.Samples;
import dev.perigee.bench.runner.server.ServerKind;
import dev.perigee.harness.campaign.Folders;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * How long {@code up} takes on an empty folder, and what it uses when nobody asks anything of it. Memory is looked at after it has rested;
 * CPU is counted over a second rest of the same length, when the compilers of the JVM are done.
 */
final class StartRow {
    static final String NAME = "start";

    private final Settings settings;
    private final ResultLog log;

    StartRow(Settings settings, ResultLog log) {
        this.settings = settings;
        this.log = log;
    }

    /** One start. */
    private record Start(UpProcess.Ready ready, double residentMib, double idleCpuPercent) {}

    /** Runs all and prints the rows. Blocks. */
    void run() throws IOException, InterruptedException {
        UpProcess.prepare(settings.root());
        List<Start> starts = new ArrayList<>();
        for (int i = 0; i < settings.runs(); i++) {
            Start start = once(i);
            starts.add(start);
            System.out.printf(
                    Locale.ROOT,
                    "%s run %d: ready %.0f ms after launch, resident %.1f MiB, idle CPU %.2f %% of a core%n",
                    NAME,
                    i,
                    start.ready().sinceLaunchMs(),
                    start.residentMib(),
                    start.idleCpuPercent());
            log.append(fields(i, start));
        }
        print(starts);
    }

    private Start once(int run) throws IOException, InterruptedException {
        Path folder = settings.work().resolve(NAME + "-" + run);
        try (UpProcess up = UpProcess.launch(settings.root(), folder.resolve("data"), UpProcess.Address.free())) {
            UpProcess.Ready ready = up.awaitReady();
            TimeUnit.MILLISECONDS.sleep(settings.idleMs());
            double residentMib = up.residentKb() / 1024.0;
            long beginNs = System.nanoTime();
            long beginMs = up.cpuMs();
            TimeUnit.MILLISECONDS.sleep(settings.idleMs());
            double usedMs = up.cpuMs() - beginMs;
            return new Start(ready, residentMib, 100 * usedMs / ((System.nanoTime() - beginNs) / 1e6));
        } finally {
            Folders.delete(folder);
        }
    }

    private Map<String, Object> fields(int run, Start start) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("row", NAME);
        fields.put("run", run);
        fields.put("server", ServerKind.PERIGEE.name());
        fields.put("idleMs", settings.idleMs());
        fields.put("readySinceLaunchMs", start.ready().sinceLaunchMs());
        fields.put("readySinceJvmMs", start.ready().sinceJvmMs());
        fields.put("residentMib", start.residentMib());
        fields.put("idleCpuPercent", start.idleCpuPercent());
        return fields;
    }

    private static void print(List<Start> starts) {
        Samples none = new Samples();
        System.out.println();
        System.out.println(new MarkdownRows(NAME, "Perigee", "peer")
                .add(
                        "launch to ready ms",
                        samples(starts, start -> start.ready().sinceLaunchMs()),
                        none)
                .add(
                        "JVM start to ready ms",
                        samples(starts, start -> start.ready().sinceJvmMs()),
                        none)
                .add("resident MiB, idle", samples(starts, Start::residentMib), none)
                .add("CPU % of a core, idle", samples(starts, Start::idleCpuPercent), none));
        System.out.println();
    }

    private static Samples samples(List<Start> starts, ToDoubleFunction<Start> value) {
        return new Samples(starts.stream().mapToDouble(value).toArray());
    }
}
