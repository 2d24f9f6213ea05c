package dev.perigee.namesrv.kv;

import dev.perigee.loop.InOrder;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The file that keeps the KV configuration: {@code {"configTable":{namespace:{key:value}}}}, the shape a stock name
 * server writes.
 */
@OwnedBy("kv writer")
public final class KvFile {
    private final WholeFile file;

    /** The file of this name; nothing is read or made yet. */
    public KvFile(Path file) {
        this(new WholeFile(file));
    }

    KvFile(WholeFile file) {
        this.file = file;
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
     * @throws KvFileException when the file is there and cannot be read, naming it
     */
    public NavigableMap<String, NavigableMap<String, String>> read() throws KvFileException {
        NavigableMap<String, NavigableMap<String, String>> table = new TreeMap<>();
        try {
            Optional<byte[]> bytes = file.read(Integer.MAX_VALUE); // what may be in it is limited where it is added
            if (bytes.isPresent()) {
                Content content = Json.read(bytes.get(), Content.class);
                content.configTable().forEach((namespace, entries) -> table.put(namespace, new TreeMap<>(entries)));
            }
            return table;
        } catch (IOException | BadBodyException e) {
            throw new KvFileException(file, "cannot be read", e);
        }
    }

    /**
     * Replaces the file. Blocks until the bytes are on disk.
     *
     * @throws KvFileException when they are not; the text says so when the file holds them nevertheless
     */
    void write(NavigableMap<String, NavigableMap<String, String>> table) throws KvFileException {
        try {
            file.replace(Json.write(new Content(InOrder.copyOf(table))));
        } catch (IOException e) {
            throw new KvFileException(file, "cannot be written", e);
        }
    }
}
