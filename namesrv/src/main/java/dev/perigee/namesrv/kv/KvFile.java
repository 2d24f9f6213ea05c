package dev.perigee.namesrv.kv;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The file that keeps the KV configuration: {@code {"configTable":{namespace:{key:value}}}}, the shape a stock name
 * server writes.
 */
@OwnedBy("kv writer")
public final class KvFile {
    private final Path file;

    public KvFile(Path file) {
        this.file = file.toAbsolutePath();
    }

    /**
     * The shape of the file.
     *
     * @param configTable namespace → key → value
     */
    public record Content(Map<String, Map<String, String>> configTable) {
        @SuppressWarnings("ConstantValue") // the JSON reader gives null for what is absent
        public Content {
            configTable = configTable == null ? Map.of() : configTable;
        }
    }

    /**
     * Reads the file. Blocks.
     *
     * @return an empty table when there is no file
     */
    public NavigableMap<String, NavigableMap<String, String>> read() throws KvFileException {
        NavigableMap<String, NavigableMap<String, String>> table = new TreeMap<>();
        if (!Files.exists(file)) {
            return table;
        }
        try {
            Content content = Json.read(Files.readAllBytes(file), Content.class);
            content.configTable().forEach((namespace, entries) -> table.put(namespace, new TreeMap<>(entries)));
            return table;
        } catch (IOException | BadBodyException e) {
            throw new KvFileException(file, "cannot be read", e);
        }
    }

    /** Replaces the file. Blocks until the bytes are on disk. */
    void write(NavigableMap<String, NavigableMap<String, String>> table) throws KvFileException {
        try {
            WholeFile.replace(file, Json.write(new Content(Map.copyOf(table))));
        } catch (IOException e) {
            throw new KvFileException(file, "cannot be written", e);
        }
    }
}
