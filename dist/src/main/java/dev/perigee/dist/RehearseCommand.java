package dev.perigee.dist;

import dev.perigee.cli.Perigee;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.store.disk.Folders;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * Starts everything in a temporary folder, sends and reads a message, and stops, first with one broker and then with a group whose leadership is
 * handed over while somebody sends, so that members hand requests on: the run from which the launcher takes the list of classes for its archive.
 */
@Command(name = "rehearse", hidden = true, description = "Start, use and stop everything once in a temporary folder.")
final class RehearseCommand implements Callable<Integer> {
    private static final long READY_LIMIT_MS = 30_000;
    /** Ports of a group are told to it, and one of them may be taken. */
    private static final int PORT_TRIES = 3;

    private static final int REPLICAS = 3;
    /** Enough to go on while leadership is handed over. */
    private static final int SENDS = 10_000;

    private static final long LOOK_MS = 20;
    private static final int LOWEST_PORT = 61_000;
    private static final int PORTS = 4_000;

    /** What is done while all runs. */
    private interface Use {
        void with(Lifecycle lifecycle, StringWriter printed, String nameServer);
    }

    RehearseCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException, CommandException {
        Path folder = Files.createTempDirectory("perigee-rehearsal");
        try {
            rehearse(folder.resolve("alone"), RehearseCommand::useAlone, "--broker-port", "0");
            rehearseGroup(folder);
            return ExitCode.OK;
        } finally {
            Folders.delete(folder);
        }
    }

    private static void rehearseGroup(Path folder) throws IOException, InterruptedException, CommandException {
        for (int tries = 1; ; tries++) {
            try {
                String port = Integer.toString(portOfGroup());
                Path data = folder.resolve("group-" + tries);
                rehearse(data, RehearseCommand::useGroup, "--broker-port", port, "--replicas", "" + REPLICAS);
                return;
            } catch (CommandException e) {
                if (tries == PORT_TRIES) {
                    throw e;
                }
            }
        }
    }

    /** Above those that Linux gives to connections, and not among those of the tests; {@code up} says when one of them is taken. */
    private static int portOfGroup() {
        return LOWEST_PORT + ThreadLocalRandom.current().nextInt(PORTS);
    }

    private static void rehearse(Path folder, Use use, String... brokers)
            throws InterruptedException, CommandException {
        Lifecycle lifecycle = Lifecycle.byHand();
        StringWriter printed = new StringWriter();
        List<String> words = new ArrayList<>(List.of("up", "--data", folder.toString(), "--namesrv-port", "0"));
        words.addAll(List.of("--set", "mappedFileSizeCommitLog=16777216"));
        words.addAll(List.of(brokers));
        CompletableFuture<Integer> up =
                CompletableFuture.supplyAsync(() -> run(lifecycle, printed, words.toArray(String[]::new)));
        try {
            if (!awaitReady(lifecycle, up)) {
                throw new CommandException(ExitCode.FAILED, "not ready within " + READY_LIMIT_MS + " ms: " + printed);
            }
            use.with(lifecycle, printed, addressIn(printed.toString()));
        } finally {
            lifecycle.stop();
            up.join();
        }
    }

    /** Not to the end of the time where the start has failed. */
    private static boolean awaitReady(Lifecycle lifecycle, CompletableFuture<Integer> up) throws InterruptedException {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(READY_LIMIT_MS);
        while (!lifecycle.awaitReady(LOOK_MS)) {
            if (up.isDone() || System.nanoTime() > endNs) {
                return false;
            }
        }
        return true;
    }

    private static void useAlone(Lifecycle lifecycle, StringWriter printed, String nameServer) {
        sendAndRead(lifecycle, printed, nameServer);
        run(lifecycle, printed, "topic", "list", "--json", "-n", nameServer);
        run(lifecycle, printed, "topic", "describe", "rehearsal", "-n", nameServer);
        run(lifecycle, printed, "topic", "list", "--tls", "-n", nameServer); // the classes of TLS are many
    }

    private static void useGroup(Lifecycle lifecycle, StringWriter printed, String nameServer) {
        sendAndRead(lifecycle, printed, nameServer);
        String[] many = {"send", "rehearsal", "--count", "" + SENDS, "--size", "100", "-n", nameServer};
        CompletableFuture<Integer> sending = CompletableFuture.supplyAsync(() -> run(lifecycle, printed, many));
        for (int i = 0; i < REPLICAS; i++) {
            run(lifecycle, printed, "raft", "transfer", "broker-a", "n" + i, "-n", nameServer);
        }
        run(lifecycle, printed, "raft", "transfer", "broker-a", "-n", nameServer);
        sending.join();
        sendAndRead(lifecycle, printed, nameServer);
    }

    private static void sendAndRead(Lifecycle lifecycle, StringWriter printed, String nameServer) {
        run(lifecycle, printed, "send", "rehearsal", "hello", "-n", nameServer);
        run(lifecycle, printed, "consume", "rehearsal", "--max", "1", "-n", nameServer);
    }

    private static int run(Lifecycle lifecycle, StringWriter printed, String... words) {
        CommandLine line = Perigee.commandLine(Main.serverCommands(lifecycle), words);
        PrintWriter out = new PrintWriter(printed, true);
        return line.setOut(out).setErr(out).execute(words);
    }

    private static String addressIn(String printed) throws CommandException {
        return Arrays.stream(printed.split("\n"))
                .map(String::strip)
                .filter(text -> text.startsWith("name server"))
                .map(text -> text.substring("name server".length()).strip())
                .findFirst()
                .orElseThrow(() -> new CommandException(ExitCode.FAILED, "no address in: " + printed));
    }
}
