package dev.perigee.store.disk;

import dev.perigee.loop.ThreadSafe;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A folder of the real file system. */
@ThreadSafe
public final class FileDisk implements Disk {
    private static final Logger LOG = LoggerFactory.getLogger(FileDisk.class);
    private static final int MAX_SIGNATURE_BYTES = 20;

    private final Path root;

    /** @param root created on first use */
    public FileDisk(Path root) {
        this.root = root.toAbsolutePath().normalize();
    }

    @Override
    public DiskFile open(String name) throws IOException {
        Path path = path(name);
        try {
            return openOrMake(name, path);
        } catch (
                NoSuchFileException
                        e) { // its folder is missing, which is rare: a look for it each time would cost more
            createFolders(path);
            return openOrMake(name, path);
        }
    }

    private static ChannelFile openOrMake(String name, Path path) throws IOException {
        return new ChannelFile(
                name,
                FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE));
    }

    @Override
    public DiskFile openRead(String name) throws IOException {
        return new ChannelFile(name, FileChannel.open(path(name), StandardOpenOption.READ));
    }

    @Override
    public boolean exists(String name) {
        return Files.exists(path(name));
    }

    @Override
    public List<String> list(String folder) throws IOException {
        Path path = path(folder);
        if (!Files.isDirectory(path)) {
            return List.of();
        }
        try (Stream<Path> children = Files.list(path)) {
            return children.map(child -> String.valueOf(child.getFileName()))
                    .sorted()
                    .toList();
        }
    }

    @Override
    public void makeFolder(String folder) throws IOException {
        Files.createDirectories(path(folder));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(path(from), path(to), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(path(name));
    }

    @Override
    public void syncFolder(String folder) throws IOException {
        try (FileChannel channel = FileChannel.open(path(folder), StandardOpenOption.READ)) {
            force(folder, channel);
        }
    }

    private static void force(String folder, FileChannel channel) throws ForceFailedException {
        try {
            channel.force(true);
        } catch (IOException e) {
            throw new ForceFailedException("folder '" + folder + "'", e);
        }
    }

    @Override
    public long freeBytes() throws IOException {
        return fileStore().getUsableSpace();
    }

    @Override
    public long totalBytes() throws IOException {
        return fileStore().getTotalSpace();
    }

    @Override
    public DiskLock lock(String name) throws IOException {
        Path path = path(name);
        createFolders(path);
        FileChannel channel =
                FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        String holder;
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                sign(channel);
                return channel::close;
            }
            holder = holder(channel);
        } catch (OverlappingFileLockException e) {
            channel.close();
            throw new IOException(path + " is locked by this process: the folder is already open", e);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        channel.close();
        throw new IOException(path + " is locked by another process" + holder + ": the folder is in use");
    }

    /** Says who holds the lock, for whoever does not get it. */
    private static void sign(FileChannel channel) {
        String process = Long.toString(ProcessHandle.current().pid());
        try {
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(process.getBytes(StandardCharsets.US_ASCII)), 0);
        } catch (IOException e) {
            LOG.info(
                    "event=lock_not_signed reason=\"{}\"",
                    e.getMessage()); // it locks all the same, also on a full disk
        }
    }

    private static String holder(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(MAX_SIGNATURE_BYTES);
        int count = channel.read(bytes, 0);
        String process = count <= 0 ? "" : new String(bytes.array(), 0, count, StandardCharsets.US_ASCII);
        boolean signed = !process.isEmpty() && process.chars().allMatch(Character::isDigit);
        return signed ? ", number " + process : "";
    }

    @Override
    public String toString() {
        return root.toString();
    }

    private FileStore fileStore() throws IOException {
        Files.createDirectories(root);
        return Files.getFileStore(root);
    }

    private Path path(String name) {
        Path path = root.resolve(name).normalize();
        if (!path.startsWith(root)) {
            throw new IllegalArgumentException("name '" + name + "' leads out of the folder " + root);
        }
        return path;
    }

    private static void createFolders(Path path) throws IOException {
        Path parent = path.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
    }
}
