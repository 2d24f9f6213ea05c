package dev.perigee.harness;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Runs stock mqadmin, a fresh JVM per command. Its exit code is 0 even when the command failed; failures show as a stack trace on stderr,
 * so {@link Result#succeeded} looks there.
 */
public final class StockAdmin {
    private static final String MAIN = "org.apache.rocketmq.tools.command.MQAdminStartup";
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final StockPeer tools;
    private final Path directory;
    private final AtomicInteger runs = new AtomicInteger();

    /** Runs {@code TOOLS5} or {@code TOOLS4}, with everything they write below {@code directory}. */
    public StockAdmin(StockPeer tools, Path directory) {
        this.tools = tools;
        this.directory = directory.toAbsolutePath();
    }

    /** What a run left behind. */
    public record Result(String command, int exit, String stdout, String stderr) {
        /** Nothing was printed that looks like an error. */
        public boolean succeeded() {
            return exit == 0
                    && Stream.of("Exception", "[error]")
                            .noneMatch(word -> stdout.contains(word) || stderr.contains(word));
        }

        @Override
        public String toString() {
            return "mqadmin " + command + " -> " + exit + "\n" + stdout + "\n" + stderr;
        }
    }

    /** Which tools these are. */
    public StockPeer tools() {
        return tools;
    }

    /** Runs one command to its end. */
    public Result run(String... arguments) throws IOException {
        JavaProcess process =
                command(MAIN, tools.classPath()).arguments(arguments).start();
        int exit = process.awaitExit(PATIENCE);
        return new Result(String.join(" ", arguments), exit, process.stdout(), process.stderr());
    }

    /** Runs commands one after the other in one JVM, which is much quicker; what each printed is told apart. */
    public List<Result> runAll(List<List<String>> commands) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(MAIN));
        for (List<String> each : commands) {
            arguments.addAll(each);
            arguments.add(Series.NEXT);
        }
        String classPath = tools.classPath() + File.pathSeparator + ClassArchive.jarOf(Series.class);
        JavaProcess process = command(Series.class.getName(), classPath)
                .arguments(arguments.toArray(String[]::new))
                .start();
        int exit = process.awaitExit(PATIENCE);
        String[] out = process.stdout().split(Series.END + "\n", -1);
        String[] err = process.stderr().split(Series.END + "\n", -1);
        List<Result> results = new ArrayList<>();
        for (int i = 0; i < commands.size(); i++) {
            String line = String.join(" ", commands.get(i));
            results.add(new Result(line, exit, i < out.length ? out[i] : "", i < err.length ? err[i] : ""));
        }
        return results;
    }

    private JavaCommand command(String mainClass, String classPath) throws IOException {
        Path home = Files.createDirectories(directory.resolve("run" + runs.incrementAndGet()));
        // The 4.9 tools refuse to start without this file; the 5.x tools do not look for it.
        Path conf = Files.createDirectories(home.resolve("conf"));
        Files.writeString(conf.resolve("logback_tools.xml"), "<configuration><root level=\"OFF\"/></configuration>");
        return new JavaCommand("mqadmin", mainClass, classPath, home)
                .options("-Drocketmq.home.dir=" + home, "-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
                .sharesClasses();
    }
}
