package dev.perigee.bench.runner;

import dev.perigee.bench.runner.figure.Figures;
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
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * How long {@code up} takes after a SIGKILL under load, on a log of some gigabytes: until it answers a pull with messages, and until it says
 * that it is ready. The file cache is warm, as it is after a crash of the process and not of the machine.
 */
final class RecoveryRow {
    static final String NAME = "recovery";

    private static final String TOPIC = "bench";
    private static final int BODY_BYTES = 1024;
    private static final long MIB = 1 << 20;
    private static final long LOOK_MS = 2;

    private final Settings settings;
    private final ResultLog log;

    RecoveryRow(Settings settings, ResultLog log) {
        this.settings = settings;
        this.log = log;
    }

    /** One recovery; all times since the launch of the launcher. */
    private record Recovered(double logMib, double pullMs, double readyMs) {}

    /** Runs all and prints the rows. Blocks. */
    void run() throws IOException, InterruptedException {
        UpProcess.prepare(settings.root());
        List<Recovered> all = new ArrayList<>();
        for (int i = 0; i < settings.runs(); i++) {
            Path folder = Files.createDirectories(settings.work().resolve(NAME + "-" + i));
            Recovered recovered;
            try {
                recovered = once(folder);
            } finally {
                Folders.delete(folder);
            }
            all.add(recovered);
            System.out.printf(
                    Locale.ROOT,
                    "%s run %d: log files of %.0f MiB, pull served after %.0f ms, ready after %.0f ms%n",
                    NAME,
                    i,
                    recovered.logMib(),
                    recovered.pullMs(),
                    recovered.readyMs());
            log.append(fields(i, recovered));
        }
        print(all);
    }

    private Recovered once(Path folder) throws IOException, InterruptedException {
        Path data = folder.resolve("data");
        UpProcess.Address address = UpProcess.Address.free();
        PullProbe probe = new PullProbe(address.brokerPort(), TOPIC);
        try (UpProcess up = UpProcess.launch(settings.root(), data, address)) {
            up.awaitReady();
            fill(folder, address, up);
            if (!probe.served()) { // also creates the group, which is no part of a recovery
                throw new IllegalStateException("no pull is answered before the kill");
            }
            killUnderLoad(folder, address, up);
        }
        double logMib = logBytes(data) / (double) MIB;
        try (UpProcess up = UpProcess.launch(settings.root(), data, address)) {
            CompletableFuture<Double> pullMs = CompletableFuture.supplyAsync(() -> awaitPull(up, probe));
            double readyMs = up.awaitReady().sinceLaunchMs();
            return new Recovered(logMib, pullMs.join(), readyMs);
        }
    }

    private void fill(Path folder, UpProcess.Address address, UpProcess up) throws IOException, InterruptedException {
        Map<String, String> plan = new LinkedHashMap<>();
        plan.put("servers", address.nameServer());
        plan.put("topic", TOPIC);
        plan.put("queues", Integer.toString(Scenario.QUEUES));
        plan.put("mode", "create");
        check(LoadClient.PERIGEE.run(settings.root(), folder, plan, up::cpuMs));
        plan.put("mode", "fill");
        plan.put("threads", "4");
        plan.put("batchCount", "64");
        plan.put("count", Long.toString(settings.fillMib() * MIB / BODY_BYTES));
        check(LoadClient.PERIGEE.run(settings.root(), folder, plan, up::cpuMs));
    }

    private static void check(Figures figures) {
        if (!figures.isSound()) {
            throw new IllegalStateException("the log could not be filled: " + figures.flaw());
        }
    }

    /** Kills the broker once the load is past its warm-up, then the load, whose outcome nobody asks about. */
    private void killUnderLoad(Path folder, UpProcess.Address address, UpProcess up)
            throws IOException, InterruptedException {
        Map<String, String> plan = Map.of(
                "servers",
                address.nameServer(),
                "topic",
                TOPIC,
                "mode",
                "async",
                "threads",
                "2",
                "warmupMs",
                Integer.toString(settings.warmupMs()),
                "windowMs",
                "600000");
        Process load = LoadClient.PERIGEE.start(settings.root(), plan, folder.resolve("load.err"));
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(load.getInputStream(), StandardCharsets.UTF_8))) {
            String line = lines.readLine();
            if (!"MARK begin".equals(line)) {
                throw new IllegalStateException(
                        "the load did not run: " + line + "\n" + Files.readString(folder.resolve("load.err")));
            }
            up.kill();
        } finally {
            load.destroyForcibly().waitFor();
        }
    }

    private static double awaitPull(UpProcess up, PullProbe probe) {
        while (!probe.served()) {
            if (!up.isAlive()) {
                return Double.NaN;
            }
            try {
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Double.NaN;
            }
        }
        return up.sinceLaunchMs();
    }

    private static long logBytes(Path data) throws IOException {
        try (var files = Files.walk(data)) {
            return files.filter(path -> path.toString().contains("commitlog") && Files.isRegularFile(path))
                    .mapToLong(path -> path.toFile().length())
                    .sum();
        }
    }

    private Map<String, Object> fields(int run, Recovered recovered) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("row", NAME);
        fields.put("run", run);
        fields.put("server", ServerKind.PERIGEE.name());
        fields.put("fillMib", settings.fillMib());
        fields.put("logFilesMib", recovered.logMib());
        fields.put("pullMs", recovered.pullMs());
        fields.put("readyMs", recovered.readyMs());
        return fields;
    }

    private static void print(List<Recovered> all) {
        Samples none = new Samples();
        System.out.println();
        System.out.println(new MarkdownRows(NAME, "Perigee", "peer")
                .add("launch to first pull served ms", samples(all, Recovered::pullMs), none)
                .add("launch to ready ms", samples(all, Recovered::readyMs), none));
        System.out.println();
    }

    private static Samples samples(List<Recovered> all, ToDoubleFunction<Recovered> value) {
        return new Samples(all.stream().mapToDouble(value).toArray());
    }
}
