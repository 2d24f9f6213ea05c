package dev.perigee.client.queue;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.stats.ResetOffsetBody;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Positions of a broadcasting consumer in {@code <folder>/<clientId>/<group>/offsets.json}; the version before stays in
 * {@code offsets.json.bak}. The file has the form stock clients write.
 */
@ThreadSafe
public final class FileOffsets implements OffsetStore {
    private static final Logger LOG = LoggerFactory.getLogger(FileOffsets.class);

    private final Path file;
    private final Path backup;
    private final Executor disk;
    private final ConcurrentMap<MessageQueue, Long> offsets = new ConcurrentHashMap<>();
    private boolean loaded;

    /** @param disk runs the file accesses, one at a time */
    public FileOffsets(Path folder, String clientId, String group, Executor disk) {
        Path home = folder.resolve(clientId).resolve(group);
        this.file = home.resolve("offsets.json");
        this.backup = home.resolve("offsets.json.bak");
        this.disk = disk;
    }

    /** As the constructor, with a thread of its own for the file accesses, so that a slow disk holds up nothing else. */
    public static FileOffsets onOwnThread(Path folder, String clientId, String group) {
        ExecutorService disk = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "perigee-offsets-" + group);
            thread.setDaemon(true);
            return thread;
        });
        return new FileOffsets(folder, clientId, group, disk);
    }

    @Override
    public CompletableFuture<Void> open() {
        return CompletableFuture.runAsync(this::loadOnce, disk);
    }

    @Override
    public CompletableFuture<Long> read(MessageQueue queue) {
        return CompletableFuture.supplyAsync(
                () -> {
                    loadOnce();
                    return offsets.getOrDefault(queue, NOT_STORED);
                },
                disk);
    }

    /** A file that cannot be read gives way to the version before; without either the group starts anew. */
    private void loadOnce() {
        if (loaded) {
            return;
        }
        loaded = true;
        for (Path candidate : new Path[] {file, backup}) {
            if (!Files.exists(candidate)) {
                continue;
            }
            try {
                Json.read(Files.readAllBytes(candidate), ResetOffsetBody.class)
                        .offsetTable()
                        .forEach(offsets::putIfAbsent);
                return;
            } catch (IOException | BadBodyException e) {
                LOG.warn("event=offset_file_unreadable file={} reason=\"{}\"", candidate, e.getMessage());
            }
        }
    }

    @Override
    public void update(MessageQueue queue, long offset) {
        offsets.put(queue, offset);
    }

    @Override
    public long inMemory(MessageQueue queue) {
        return offsets.getOrDefault(queue, NOT_STORED);
    }

    @Override
    public CompletableFuture<Void> persist(Collection<MessageQueue> queues) {
        return save();
    }

    private CompletableFuture<Void> save() {
        byte[] content = Json.write(new ResetOffsetBody(Map.copyOf(offsets)));
        return CompletableFuture.runAsync(() -> write(content), disk);
    }

    @Override
    public CompletableFuture<Void> commit(Map<MessageQueue, Long> positions) {
        offsets.putAll(positions);
        return save();
    }

    private void write(byte[] content) {
        try {
            Path home = file.toAbsolutePath().getParent();
            if (home == null) {
                throw new IOException("offset file " + file + " has no folder");
            }
            Files.createDirectories(home);
            Path fresh = home.resolve("offsets.json.tmp");
            Files.write(fresh, content);
            if (Files.exists(file)) {
                Files.move(file, backup, StandardCopyOption.REPLACE_EXISTING);
            }
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            LOG.warn("event=offset_file_not_written file={} reason=\"{}\"", file, e.getMessage());
        }
    }

    /** A broadcasting consumer keeps its position even while a broker is away. */
    @Override
    public void forget(MessageQueue queue) {}

    @Override
    public void close() {
        if (disk instanceof ExecutorService own) {
            own.shutdown();
        }
    }
}
