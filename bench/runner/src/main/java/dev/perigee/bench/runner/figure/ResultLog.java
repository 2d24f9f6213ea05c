package dev.perigee.bench.runner.figure;

import com.alibaba.fastjson2.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** A file of one JSON object per run, kept over all runs of this program, so that nothing measured is lost. */
public final class ResultLog {
    private final Path file;

    /** Appends to {@code file}, which need not exist. */
    public ResultLog(Path file) {
        this.file = file;
    }

    /** Adds one run: time and machine, then these fields. */
    public void append(Map<String, Object> run) throws IOException {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("time", Instant.now().toString());
        line.put("processors", Runtime.getRuntime().availableProcessors());
        line.put("java", Runtime.version().toString());
        line.putAll(run);
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, JSON.toJSONString(line) + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
