package dev.perigee.client.position;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.stats.ResetOffsetBody;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code offsets.json} of one group on disk, in the form stock clients write. At every instant, also after a crash,
 * the file or its forerunner {@code offsets.json.bak} is whole. The file {@code offsets.lock} keeps other processes away.
 */
@OwnedBy("disk thread")
final class OffsetFile {
    private static final Logger LOG = LoggerFactory.getLogger(OffsetFile.class);

    /** What a write does one after the other. */
    enum Step {
        WRITE_FRESH,
        COPY_PRESENT,
        KEEP_AS_BACKUP,
        REPLACE_PRESENT,
        FORCE_FOLDER
    }

    /** Told before every step of a write; what it throws is a crash there. */
    interface Watch {
        void before(Step step) throws IOException;
    }

    private final Path home;
    private final Path file;
    private final Path backup;
    private final Watch watch;
    private @Nullable FileChannel lockFile;

    /** @param home the folder of the group; made when it is missing */
    OffsetFile(Path home, Watch watch) {
        this.home = home.toAbsolutePath();
        this.file = this.home.resolve("offsets.json");
        this.backup = this.home.resolve("offsets.json.bak");
        this.watch = watch;
    }

    /** Takes the lock. Fails when another consumer has it, naming the file. */
    void lock() throws IOException {
        Files.createDirectories(home);
        Path path = home.resolve("offsets.lock");
        FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = null;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            LOG.debug("event=offset_lock_overlaps file={}", path, e);
        }
        if (lock == null) {
            channel.close();
            throw new IOException("the offset file " + file + " is in use by another consumer, which holds " + path
                    + "; consumers of one machine need different values of instanceName, or of offsetFolder");
        }
        this.lockFile = channel;
    }

    void unlock() throws IOException {
        FileChannel channel = lockFile;
        if (channel != null) {
            lockFile = null;
            channel.close();
        }
    }

    /** A file that cannot be read gives way to the version before; without either the group starts anew. */
    Map<MessageQueue, Long> read() {
        for (Path candidate : new Path[] {file, backup}) {
            if (!Files.exists(candidate)) {
                continue;
            }
            try {
                Map<MessageQueue, Long> table = Json.read(Files.readAllBytes(candidate), ResetOffsetBody.class)
                        .offsetTable();
                LOG.info("event=offset_file_read file={} queues={}", candidate, table.size());
                return table;
            } catch (IOException | BadBodyException e) {
                LOG.warn("event=offset_file_unreadable file={} reason=\"{}\"", candidate, e.getMessage());
            }
        }
        return Map.of();
    }

    /** Replaces the content; durable when it returns. */
    void write(Map<MessageQueue, Long> offsets) throws IOException {
        Files.createDirectories(home);
        Path fresh = home.resolve("offsets.json.tmp");
        watch.before(Step.WRITE_FRESH);
        force(fresh, Json.write(new ResetOffsetBody(offsets)));
        if (Files.exists(file)) {
            Path copy = home.resolve("offsets.json.bak.tmp");
            watch.before(Step.COPY_PRESENT);
            force(copy, Files.readAllBytes(file));
            watch.before(Step.KEEP_AS_BACKUP);
            replace(copy, backup);
        }
        watch.before(Step.REPLACE_PRESENT);
        replace(fresh, file);
        watch.before(Step.FORCE_FOLDER);
        try (FileChannel folder = FileChannel.open(home, StandardOpenOption.READ)) {
            folder.force(true);
        } catch (AccessDeniedException e) {
            LOG.debug("event=offset_folder_not_forced folder={}", home, e); // systems that do not open folders
        }
    }

    private static void force(Path path, byte[] content) throws IOException {
        try (FileChannel channel = FileChannel.open(
                path, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer left = ByteBuffer.wrap(content);
            while (left.hasRemaining()) {
                channel.write(left);
            }
            channel.force(true);
        }
    }

    private static void replace(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
