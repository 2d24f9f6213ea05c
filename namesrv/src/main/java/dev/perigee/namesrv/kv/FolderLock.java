package dev.perigee.namesrv.kv;

import dev.perigee.loop.Immutable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a second name server out of the folder of the first: both would replace the same files, and each undo what the other was told.
 * The lock goes with the process that holds it, however that ends.
 */
@Immutable
public final class FolderLock implements AutoCloseable {
    private static final String FILE = "lock";
    private static final Logger LOG = LoggerFactory.getLogger(FolderLock.class);

    private final @Nullable FileChannel held;

    private FolderLock(@Nullable FileChannel held) {
        this.held = held;
    }

    /**
     * Locks the folder that a file lies in, which is made when it is missing. Blocks for the disk. In a folder that cannot be written
     * nothing is shared either, so a server on a disk that is only read may start.
     *
     * @throws IOException when another name server holds it, naming the folder and the setting
     */
    public static FolderLock besides(Path file) throws IOException {
        Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent()); // it is absolute, and no root
        FileChannel channel;
        try {
            Files.createDirectories(folder);
            channel = FileChannel.open(folder.resolve(FILE), StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        } catch (IOException e) {
            LOG.warn("event=folder_not_locked folder={} reason=\"{}\"", folder, e.toString());
            return new FolderLock(null);
        }
        if (!isLocked(channel)) {
            channel.close();
            throw new IOException(
                    "another name server uses " + folder + ": give this one another folder (kvConfigPath)");
        }
        return new FolderLock(channel);
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) { // another one in this process
            return false;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        if (held != null) {
            held.close();
        }
    }
}
