package dev.perigee.bench.runner;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A client in a JVM of its own that begins a send every few milliseconds, until it is closed. */
final class ProbeClient implements AutoCloseable {
    /** The deadline that both clients have by default. */
    private static final String SEND_TIMEOUT_MS = "3000";

    private static final String FOR_EVER_MS = "3600000";

    private final Kind kind;
    private final Process process;
    private final Probes probes = new Probes();

    /**
     * What it is.
     *
     * @param name in the tables
     * @param routePollMs how often it looks routes up; 0 for its default
     */
    record Kind(String name, LoadClient client, int routePollMs) {
        private static final int OFTEN_MS = 200;

        /** Ours and the stock one at their defaults, and a stock one that looks routes up often. */
        static final List<Kind> ALL = List.of(
                new Kind("our client", LoadClient.PERIGEE, 0),
                new Kind("stock client, route poll 200 ms", LoadClient.STOCK, OFTEN_MS),
                new Kind("stock client, route poll 30 s", LoadClient.STOCK, 0));
    }

    /** Starts one; what it writes to stderr goes to the folder. */
    ProbeClient(Path root, Path folder, Kind kind, String servers, int everyMs) throws IOException {
        this.kind = kind;
        Map<String, String> plan = Map.of(
                "mode",
                "probe",
                "servers",
                servers,
                "windowMs",
                FOR_EVER_MS,
                "everyMs",
                Integer.toString(everyMs),
                "routePollMs",
                Integer.toString(kind.routePollMs()),
                "sendTimeoutMs",
                SEND_TIMEOUT_MS);
        this.process =
                kind.client().start(root, plan, folder.resolve(kind.name().replaceAll("\\W+", "-") + ".err"));
        Thread reader = new Thread(this::read, "reads-" + kind.name());
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            lines.lines().forEach(probes::add);
        } catch (IOException | UncheckedIOException closed) {
            System.out.println("  " + kind.name() + " says no more: " + closed.getMessage());
        }
    }

    Kind kind() {
        return kind;
    }

    Probes probes() {
        return probes;
    }

    /** Kills it. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
