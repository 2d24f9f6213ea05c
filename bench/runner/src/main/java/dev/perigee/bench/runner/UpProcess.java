package dev.perigee.bench.runner;

import dev.perigee.harness.FreePorts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code ./perigee up} as a user starts it: the launcher, with its JVM options and class archive. The launcher becomes the JVM, so its process
 * id is the JVM's. It is killed when this program ends.
 */
final class UpProcess implements AutoCloseable {
    private static final Pattern READY = Pattern.compile("is ready(?: after ([\\d.]+) s)?");
    private static final long READY_LIMIT_S = 600;

    /** Two ports that stay the same over restarts. */
    record Address(int nameServerPort, int brokerPort) {
        static Address free() {
            return new Address(FreePorts.one(), FreePorts.forBroker());
        }

        String nameServer() {
            return "127.0.0.1:" + nameServerPort;
        }
    }

    /**
     * How long a start took.
     *
     * @param sinceLaunchMs from the launch of the launcher to the line that says ready
     * @param sinceJvmMs from the start of the JVM, as that line says, which rounds to 100 ms; NaN when it does not
     */
    record Ready(double sinceLaunchMs, double sinceJvmMs) {}

    private final Process process;
    private final long launchedNs;
    private final Path errors;
    private volatile boolean ready;

    private UpProcess(Process process, long launchedNs, Path errors) {
        this.process = process;
        this.launchedNs = launchedNs;
        this.errors = errors;
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly, "kill-up"));
    }

    /** Launches it on a folder, with more options if need be; an empty or missing folder is a first start. */
    static UpProcess launch(Path root, Path data, Address address, String... more) throws IOException {
        Path errors = Files.createDirectories(data.toAbsolutePath().getParent()).resolve("up.err");
        List<String> command = new ArrayList<>(List.of(
                root.resolve("perigee").toString(),
                "up",
                "--data",
                data.toString(),
                "--namesrv-port",
                Integer.toString(address.nameServerPort()),
                "--broker-port",
                Integer.toString(address.brokerPort())));
        command.addAll(List.of(more));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
        long launchedNs = System.nanoTime();
        return new UpProcess(builder.start(), launchedNs, errors);
    }

    /** Lets the launcher build what it builds once, so that no measured start pays for it. */
    static void prepare(Path root) throws IOException, InterruptedException {
        new ProcessBuilder(root.resolve("perigee").toString(), "--version")
                .inheritIO()
                .start()
                .waitFor();
    }

    /**
     * Blocks until it says that it is ready.
     *
     * @throws IOException when it ends instead, or takes more than ten minutes; with what it wrote
     */
    Ready awaitReady() throws IOException {
        CompletableFuture<?> unused = process.onExit() // a kill ends the reading below
                .orTimeout(READY_LIMIT_S, TimeUnit.SECONDS)
                .whenComplete((ended, late) -> {
                    if (late != null && !ready) {
                        process.destroyForcibly();
                    }
                });
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Matcher match = READY.matcher(line);
            if (match.find()) {
                ready = true;
                double sinceJvmMs = match.group(1) == null ? Double.NaN : 1_000 * Double.parseDouble(match.group(1));
                return new Ready(sinceLaunchMs(), sinceJvmMs);
            }
        }
        throw new IOException("it did not get ready: " + Files.readString(errors));
    }

    /** Milliseconds since the launch. */
    double sinceLaunchMs() {
        return (System.nanoTime() - launchedNs) / 1e6;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long cpuMs() throws IOException {
        return Proc.cpuMs(process.pid());
    }

    long residentKb() throws IOException {
        return Proc.residentKb(process.pid());
    }

    /** SIGKILL; returns when it is gone. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** Same as {@link #kill}: what it leaves is deleted anyway. */
    @Override
    public void close() {
        kill();
    }
}
