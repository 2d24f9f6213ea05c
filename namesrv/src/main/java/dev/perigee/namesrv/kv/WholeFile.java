package dev.perigee.namesrv.kv;

import dev.perigee.loop.OwnedBy;
import dev.perigee.loop.config.ChangedSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.Optional;

/**
 * A small file that is only ever replaced as a whole: a change writes a new file, forces it to disk and renames it over the
 * old one, so that a crash leaves one of the two. When only the last step fails, the forcing of the folder behind the rename,
 * the new file is there already: it is what is read from then on, and a loss of power may bring the old one back.
 */
@OwnedBy("kv writer")
public final class WholeFile implements ChangedSettings.Place {
    /** Makes a rename in a folder durable; a seam for tests of a disk that fails there. */
    interface FolderSync {
        void force(Path folder) throws IOException;
    }

    private final Path file;
    private final FolderSync sync;

    /** The file of this name; nothing is read or made yet. */
    public WholeFile(Path file) {
        this(file, WholeFile::forceFolder);
    }

    WholeFile(Path file, FolderSync sync) {
        this.file = file.toAbsolutePath();
        this.sync = sync;
    }

    @Override
    public Optional<byte[]> read(int maxBytes) throws IOException {
        try {
            long sizeBytes = Files.size(file);
            if (sizeBytes > maxBytes) {
                throw new IOException(file + " has " + sizeBytes + " bytes, at most " + maxBytes + " are accepted");
            }
            return Optional.of(Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** {@inheritDoc} Makes the file's folder when it is missing. */
    @Override
    public void replace(byte[] bytes) throws IOException {
        Path draft = file.resolveSibling(file.getFileName() + ".new");
        Path folder = Objects.requireNonNull(file.getParent()); // it is absolute, and no root
        Files.createDirectories(folder);
        try (FileChannel channel = FileChannel.open(
                draft, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer rest = ByteBuffer.wrap(bytes);
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
            channel.force(true);
        }
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        try {
            sync.force(folder);
        } catch (IOException e) {
            throw new IOException(
                    file + " holds the change already, but could not be made durable (" + e.getMessage()
                            + "): the change counts from the next start on, unless the power fails before",
                    e);
        }
    }

    private static void forceFolder(Path folder) throws IOException {
        try (FileChannel directory = FileChannel.open(folder)) {
            directory.force(true);
        }
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
