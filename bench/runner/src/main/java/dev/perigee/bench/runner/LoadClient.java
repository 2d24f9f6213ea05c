package dev.perigee.bench.runner;

import dev.perigee.harness.JavaProcess;
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

/** Runs a load program in its own JVM and samples a server's CPU time at its marks. */
enum LoadClient {
    /** The stock client, on its own jars. */
    STOCK("stock-load", "dev.perigee.bench.stock.StockLoad"),
    /** Perigee's client. */
    PERIGEE("perigee-load", "dev.perigee.bench.own.PerigeeLoad"),
    /** Kafka's client. */
    KAFKA("kafka-load", "dev.perigee.bench.kafka.KafkaLoad");

    private final String module;
    private final String mainClass;

    LoadClient(String module, String mainClass) {
        this.module = module;
        this.mainClass = mainClass;
    }

    /** Runs to the end; {@code root} is the checkout. */
    Figures run(Path root, Map<String, String> plan, JavaProcess server) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command(root, plan))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        long beginMs = 0;
        long endMs = 0;
        String result = "RESULT count=0";
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                switch (line) {
                    case "MARK begin" -> beginMs = server.cpuMillis();
                    case "MARK end" -> endMs = server.cpuMillis();
                    default -> {
                        if (line.startsWith("RESULT")) {
                            result = line;
                        } else {
                            System.out.println("  " + line);
                        }
                    }
                }
            }
        } finally {
            process.destroy();
            process.waitFor();
        }
        return Figures.of(result, (double) (endMs - beginMs));
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
