package dev.perigee.bench.runner.figure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ResultLogTest {
    @TempDir
    private Path folder;

    @Test
    void everyRunIsOneLineAndFormerLinesStay() throws Exception {
        Path file = folder.resolve("target").resolve("results.jsonl");
        new ResultLog(file).append(Map.of("row", "start", "run", 0));
        new ResultLog(file).append(Map.of("row", "start", "run", 1));

        assertThat(Files.readAllLines(file))
                .hasSize(2)
                .allMatch(line -> line.startsWith("{\"time\":\"") && line.endsWith("}"))
                .anyMatch(line -> line.contains("\"run\":1"));
    }
}
