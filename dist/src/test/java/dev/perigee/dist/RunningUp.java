package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.Perigee;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.remoting.FreePorts;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;

/** {@code perigee up} running in this process on free ports. */
final class RunningUp implements AutoCloseable {
    private static final long READY_LIMIT_MS = 60_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Much is waited for, and most of it is there at once. */
    private static final Duration POLL = Duration.ofMillis(10);

    private final Path data;
    private final Lifecycle lifecycle = Lifecycle.byHand();
    private final StringWriter out = new StringWriter();
    private final CompletableFuture<Integer> exitCode;

    RunningUp(Path data, String... more) throws InterruptedException {
        // not any port: what comes again after a stop wants those it had
        this(data, List.of(Integer.toString(FreePorts.one()), Integer.toString(FreePorts.forBroker())), more);
    }

    private RunningUp(Path data, List<String> ports, String... more) throws InterruptedException {
        this.data = data;
        List<String> all = new ArrayList<>(List.of(
                "up",
                "--data",
                data.toString(),
                "--namesrv-port",
                ports.get(0),
                "--broker-port",
                ports.get(1),
                "--set",
                "mappedFileSizeCommitLog=16777216",
                "--set",
                "syncFlushTimeout=60000", // disks of busy machines take seconds
                "--set",
                "waitTimeMillsInSendQueue=60000"));
        all.addAll(List.of(more));
        String[] words = all.toArray(String[]::new);
        PrintWriter printer = new PrintWriter(out, true);
        exitCode = CompletableFuture.supplyAsync(() -> Perigee.commandLine(Main.serverCommands(lifecycle), words)
                .setOut(printer)
                .setErr(printer)
                .execute(words));
        CompletableFuture<?> unused = exitCode.thenRun(lifecycle::readyOrOver);
        assertThat(lifecycle.awaitReady(READY_LIMIT_MS)).isTrue();
    }

    /** One with the same data and ports, after this one has stopped. */
    RunningUp again() throws InterruptedException {
        return new RunningUp(data, List.of(port(nameServer()), port(broker())));
    }

    private static String port(String address) {
        return address.substring(address.lastIndexOf(':') + 1);
    }

    /** What it printed so far. */
    String printed() {
        return out.toString();
    }

    String nameServer() {
        return after("  name server  ");
    }

    String broker() {
        return after("  broker       ").split(" ", 2)[0];
    }

    /** Runs a command against it. */
    Run run(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.add("-n");
        all.add(nameServer());
        if (!all.contains("--timeout")) {
            all.addAll(List.of("--timeout", "60000"));
        }
        return Run.of(all.toArray(String[]::new));
    }

    /** Runs a command that must succeed. */
    Run ok(String... words) {
        Run run = run(words);
        assertThat(run.exitCode()).as(run.toString()).isEqualTo(ExitCode.OK);
        return run;
    }

    /** Creates a topic, or changes how many queues it has. */
    void queues(String topic, int queues) {
        ok("topic", "create", topic, "--queues", Integer.toString(queues), "--yes");
    }

    /** Waits until something is so that clients of it wait for. */
    static void await(Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(POLL)
                .until(condition);
    }

    int stop() {
        lifecycle.stop();
        return exitCode.join();
    }

    @Override
    public void close() {
        stop();
    }

    private String after(String label) {
        return printed()
                .lines()
                .filter(line -> line.startsWith(label))
                .map(line -> line.substring(label.length()).strip())
                .findFirst()
                .orElseThrow(() -> new AssertionError("no '" + label + "' in: " + printed()));
    }
}
