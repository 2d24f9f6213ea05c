package dev.perigee.bench.runner;

import dev.perigee.bench.runner.figure.Figures;
import dev.perigee.bench.runner.server.Watched;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a load program in its own JVM and samples a server's CPU time at its marks. */
enum LoadClient {
    /** The stock client, on its own jars. */
    STOCK("stock-load", "dev.perigee.bench.stock.StockLoad"),
    /** Perigee's client. */
    PERIGEE("perigee-load", "dev.perigee.bench.own.PerigeeLoad"),
    /** Perigee's client, with delayed messages. */
    PERIGEE_TIMERS("perigee-load", "dev.perigee.bench.own.TimersLoad"),
    /** Kafka's client. */
    KAFKA("kafka-load", "dev.perigee.bench.kafka.KafkaLoad");

    /** A load program that has closed its output but does not end within this is killed. */
    private static final long END_LIMIT_S = 30;

    private static final int LAST_LINES = 20;

    private final String module;
    private final String mainClass;

    LoadClient(String module, String mainClass) {
        this.module = module;
        this.mainClass = mainClass;
    }

    /**
     * Runs to the end. When anything went wrong the last lines of the program's stderr are printed and the figures are flawed.
     *
     * @param root the checkout
     * @param work an existing folder for the program's stderr
     */
    Figures run(Path root, Path work, Map<String, String> plan, Watched server)
            throws IOException, InterruptedException {
        Path errors = work.resolve("client.err");
        Process process = start(root, plan, errors);
        Figures figures;
        try {
            figures = read(process, server);
        } finally {
            if (!process.waitFor(END_LIMIT_S, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        }
        if (process.exitValue() != 0 && figures.isSound()) {
            figures = Figures.flawed("exit " + process.exitValue());
        }
        if (!figures.isSound()) {
            printErrors(errors);
        }
        return figures;
    }

    /** Starts the program and leaves it to the caller. It is killed when this program ends. */
    Process start(Path root, Map<String, String> plan, Path errors) throws IOException {
        Process process = new ProcessBuilder(command(root, plan))
                .redirectError(errors.toFile())
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly, "kill-load"));
        return process;
    }

    private static Figures read(Process process, Watched server) throws IOException {
        long beginMs = 0;
        long endMs = 0;
        long lagBytes = 0;
        String result = "";
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                switch (line) {
                    case "MARK begin" -> {
                        server.window(true);
                        beginMs = server.cpuMillis();
                    }
                    case "MARK end" -> {
                        server.window(false);
                        endMs = server.cpuMillis();
                        lagBytes = server.lagBytes().orElse(0);
                    }
                    default -> {
                        if (line.startsWith("RESULT ")) {
                            result = line;
                        } else {
                            System.out.println("  " + line);
                        }
                    }
                }
            }
        }
        return result.isEmpty()
                ? Figures.flawed("no result")
                : Figures.of(result, (double) (endMs - beginMs)).behind(lagBytes);
    }

    private void printErrors(Path errors) throws IOException {
        List<String> lines = Files.readString(errors).lines().toList();
        System.out.println("  " + module + " wrote to stderr, last lines of " + lines.size() + ":");
        lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size())
                .forEach(line -> System.out.println("    " + line));
    }

    private List<String> command(Path root, Map<String, String> plan) throws IOException {
        Path target = root.resolve("bench").resolve(module).resolve("target");
        String jars = Files.readString(target.resolve("classpath.txt")).strip();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xms512m", "-Xmx1g", "-XX:+UseParallelGC", "-cp"));
        command.add(target.resolve("classes") + File.pathSeparator + jars);
        command.add(mainClass);
        plan.forEach((key, value) -> command.add(key + "=" + value));
        return command;
    }
}
