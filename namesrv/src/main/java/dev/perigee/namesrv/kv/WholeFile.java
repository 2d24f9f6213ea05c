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
import java.util.Optional;

/**
 * A small file that is only ever replaced as a whole: a change writes a new file, forces it to disk and renames it over the
 * old one, so that a crash leaves one of the two.
 */
@OwnedBy("kv writer")
public final class WholeFile implements ChangedSettings.Place {
    private final Path file;

    /** The file of this name; nothing is read or made yet. */
    public WholeFile(Path file) {
        this.file = file.toAbsolutePath();
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
        Path folder = file.getParent();
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
        try (FileChannel directory = FileChannel.open(folder)) {
            directory.force(true);
        } catch (IOException e) {
            throw new IOException(
                    file + " holds the change already, but could not be made durable (" + e.getMessage()
                            + "): the change counts from the next start on, unless the power fails before",
                    e);
        }
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
