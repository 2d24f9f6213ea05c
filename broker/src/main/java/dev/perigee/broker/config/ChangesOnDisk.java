package dev.perigee.broker.config;

import dev.perigee.loop.OwnedBy;
import dev.perigee.loop.config.ChangedSettings;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * The place of {@link ChangedSettings} in the folder of the store. A change writes a new file, forces it to disk and renames
 * it over the old one.
 */
@OwnedBy("live config")
public final class ChangesOnDisk implements ChangedSettings.Place {
    private static final String FOLDER = "config";

    /** The file, seen from the folder of the store. */
    public static final String FILE = FOLDER + "/changed.properties";

    private static final String DRAFT = FILE + ".new";

    private final Disk disk;

    private ChangesOnDisk(Disk disk) {
        this.disk = disk;
    }

    /** What code 25 changed, on this disk; nothing is read yet. */
    public static ChangedSettings of(Disk disk) {
        return new ChangedSettings(new ChangesOnDisk(disk), "broker", "updateBrokerConfig");
    }

    @Override
    public Optional<byte[]> read(int maxBytes) throws IOException {
        if (!disk.exists(FILE)) {
            return Optional.empty();
        }
        try (DiskFile file = disk.openRead(FILE)) {
            if (file.size() > maxBytes) {
                throw new IOException(FILE + " has " + file.size() + " bytes, at most " + maxBytes + " are accepted");
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
            file.read(bytes, 0);
            return Optional.of(Arrays.copyOf(bytes.array(), bytes.position()));
        }
    }

    @Override
    public void replace(byte[] bytes) throws IOException {
        disk.delete(DRAFT);
        disk.makeFolder(FOLDER);
        disk.syncFolder(""); // before the rename, so that nothing but its own folder is left to fail behind it
        try (DiskFile file = disk.open(DRAFT)) {
            file.write(ByteBuffer.wrap(bytes), 0);
            file.force();
        }
        disk.rename(DRAFT, FILE);
        try {
            disk.syncFolder(FOLDER);
        } catch (IOException e) {
            throw new IOException(
                    FILE + " holds the change already, but could not be made durable (" + e.getMessage()
                            + "): the change counts from the next start on, unless the power fails before",
                    e);
        }
    }

    @Override
    public String toString() {
        return FILE;
    }
}
