package dev.perigee.broker.config;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import java.util.SortedMap;

/**
 * The file that keeps what code 25 changed, so that it outlives a restart. It lies in the folder of the store, beside the
 * configuration file of the operator and stronger than it; that file is never rewritten. A change writes a new file,
 * forces it to disk and renames it over the old one, so that a crash leaves one of the two whole.
 */
@OwnedBy("live config")
public final class ChangedSettings {
    private static final String FOLDER = "config";

    /** The file, seen from the folder of the store. */
    public static final String FILE = FOLDER + "/changed.properties";

    private static final String DRAFT = FILE + ".new";
    private static final String HEAD = "# Settings changed while the broker ran (updateBrokerConfig). Stronger than the"
            + " configuration file. With the broker stopped, lines or the whole file may be deleted.\n";
    /** A larger file is not ours: the allow-list has a few short lines. */
    private static final int MAX_BYTES = 64 * 1024;

    private final Disk disk;

    /** The file on this disk; nothing is read yet. */
    public ChangedSettings(Disk disk) {
        this.disk = disk;
    }

    /**
     * What was changed; nothing when there is no file. Blocks.
     *
     * @throws IOException when the file is there and cannot be read
     */
    Properties read() throws IOException {
        Properties changed = new Properties();
        if (!disk.exists(FILE)) {
            return changed;
        }
        try (DiskFile file = disk.openRead(FILE)) {
            if (file.size() > MAX_BYTES) {
                throw new IOException(FILE + " has " + file.size() + " bytes, at most " + MAX_BYTES + " are accepted");
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
            file.read(bytes, 0);
            changed.load(new StringReader(new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8)));
            return changed;
        } catch (IllegalArgumentException e) {
            throw new IOException(FILE + " is no list of key=value lines: " + e.getMessage(), e);
        }
    }

    /** Replaces the file. Blocks until it is durable; after a failure the old file is still there. */
    void write(SortedMap<String, String> changed) throws IOException {
        StringBuilder text = new StringBuilder(HEAD);
        changed.forEach(
                (key, value) -> text.append(key).append('=').append(value).append('\n'));
        disk.delete(DRAFT);
        disk.makeFolder(FOLDER);
        try (DiskFile file = disk.open(DRAFT)) {
            file.write(ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8)), 0);
            file.force();
        }
        disk.rename(DRAFT, FILE);
        disk.syncFolder(FOLDER);
        disk.syncFolder("");
    }
}
