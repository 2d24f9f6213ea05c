package dev.perigee.dist;

import dev.perigee.cli.Perigee;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * Starts everything in a temporary folder, sends and reads a message, and stops: the run from which the launcher takes the
 * list of classes for its archive.
 */
@Command(name = "rehearse", hidden = true, description = "Start, use and stop everything once in a temporary folder.")
final class RehearseCommand implements Callable<Integer> {
    private static final long READY_LIMIT_MS = 30_000;

    RehearseCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException, CommandException {
        Path folder = Files.createTempDirectory("perigee-rehearsal");
        try {
            rehearse(folder);
            return ExitCode.OK;
        } finally {
            delete(folder);
        }
    }

    private static void rehearse(Path folder) throws InterruptedException, CommandException {
        Lifecycle lifecycle = Lifecycle.byHand();
        StringWriter printed = new StringWriter();
        CompletableFuture<Integer> up = CompletableFuture.supplyAsync(() -> run(
                lifecycle,
                printed,
                "up",
                "--data",
                folder.toString(),
                "--namesrv-port",
                "0",
                "--broker-port",
                "0",
                "--set",
                "mappedFileSizeCommitLog=16777216"));
        try {
            use(lifecycle, printed);
        } finally {
            lifecycle.stop();
            up.join();
        }
    }

    private static void use(Lifecycle lifecycle, StringWriter printed) throws InterruptedException, CommandException {
        if (!lifecycle.awaitReady(READY_LIMIT_MS)) {
            throw new CommandException(ExitCode.FAILED, "not ready within " + READY_LIMIT_MS + " ms: " + printed);
        }
        String nameServer = addressIn(printed.toString());
        run(lifecycle, printed, "send", "rehearsal", "hello", "-n", nameServer);
        run(lifecycle, printed, "consume", "rehearsal", "--max", "1", "-n", nameServer);
        run(lifecycle, printed, "topic", "list", "--json", "-n", nameServer);
        run(lifecycle, printed, "topic", "describe", "rehearsal", "-n", nameServer);
        run(lifecycle, printed, "topic", "list", "--tls", "-n", nameServer); // the classes of TLS are many
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

    private static void delete(Path folder) throws IOException {
        List<Path> paths = new ArrayList<>();
        try (Stream<Path> walk = Files.walk(folder)) {
            walk.sorted(Comparator.reverseOrder()).forEach(paths::add);
        }
        for (Path path : paths) {
            Files.deleteIfExists(path);
        }
    }
}
