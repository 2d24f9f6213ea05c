package dev.perigee.namesrv;

import dev.perigee.loop.OwnedBy;
import dev.perigee.namesrv.kv.WholeFile;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.TreeSet;

/**
 * The file that keeps what request 318 changed, so that it outlives a restart. It lies beside the file of the KV
 * configuration and is stronger than the configuration file of the operator, which is never rewritten.
 */
@OwnedBy("kv writer")
final class SwitchFile {
    /** Its name, in the folder of the KV configuration. */
    static final String NAME = "changed.properties";

    private static final String HEAD =
            "# Settings changed while the name server ran (updateNamesrvConfig). Stronger than"
                    + " the configuration file. With the server stopped, lines or the whole file may be deleted.\n";

    private final Path file;

    SwitchFile(Path kvConfigPath) {
        this.file = kvConfigPath.toAbsolutePath().resolveSibling(NAME);
    }

    /**
     * What was changed; nothing when there is no file. Blocks.
     *
     * @throws IOException when the file is there and cannot be read
     */
    Properties read() throws IOException {
        Properties changed = new Properties();
        if (!Files.exists(file)) {
            return changed;
        }
        try (Reader reader = Files.newBufferedReader(file)) {
            changed.load(reader);
            return changed;
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is no list of key=value lines: " + e.getMessage(), e);
        }
    }

    /** Keeps further changes beside those that are there. Blocks until they are durable. */
    void add(Properties changes) throws IOException {
        Properties all = read();
        all.putAll(changes);
        StringBuilder text = new StringBuilder(HEAD);
        for (String key : new TreeSet<>(all.stringPropertyNames())) {
            text.append(key).append('=').append(all.getProperty(key)).append('\n');
        }
        WholeFile.replace(file, text.toString().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
