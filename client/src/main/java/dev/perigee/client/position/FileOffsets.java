package dev.perigee.client.position;

import dev.perigee.client.error.Failures;
import dev.perigee.loop.InOrder;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.MessageQueue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Positions of a broadcasting consumer in {@code <folder>/<clientId>/<group>/offsets.json}; the version before stays in
 * {@code offsets.json.bak}. One consumer uses the folder at a time. At most one write is under way and one waits, which
 * takes whatever the newest positions are when it begins; positions that did not change are not written.
 *
 * <p>The position of a queue that is not read any more stays, for its broker may only be away, or its topic be subscribed again.
 * Beyond {@link #MAX_QUEUES} those go that this consumer has not asked for since it began.
 */
@ThreadSafe
public final class FileOffsets implements OffsetStore {
    private static final Logger LOG = LoggerFactory.getLogger(FileOffsets.class);
    /** Queues in the file at most, unless more are read. */
    static final int MAX_QUEUES = 10_000;

    /** How long closing waits for the last write. */
    private static final long CLOSE_TIMEOUT_MS = 5_000;

    private final OffsetFile file;
    private final Executor disk;
    private final ConcurrentMap<MessageQueue, Long> offsets = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable CompletableFuture<Void>> waitingWrite = new AtomicReference<>();
    /** What was in the file when it was opened and was not asked for since. Its lock keeps what is asked for from being forgotten. */
    private final Set<MessageQueue> unused = new HashSet<>();

    private volatile Map<MessageQueue, Long> loaded = Map.of();
    /** What the file holds; looked at by the disk thread alone. */
    private Map<MessageQueue, Long> written = Map.of();

    private volatile boolean isFailing;
    private volatile boolean isOpen;

    /** @param disk runs the file accesses, one at a time */
    public FileOffsets(Path folder, String clientId, String group, Executor disk) {
        this(new OffsetFile(folder.resolve(clientId).resolve(group), step -> {}), disk);
    }

    FileOffsets(OffsetFile file, Executor disk) {
        this.file = file;
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
        return onDisk(() -> {
            file.lock();
            loaded = InOrder.copyOf(file.read());
            written = loaded;
            synchronized (unused) {
                loaded.forEach((queue, offset) -> {
                    if (offsets.putIfAbsent(queue, offset) == null) {
                        unused.add(queue);
                    }
                });
            }
            isOpen = true;
        });
    }

    @Override
    public CompletableFuture<Long> read(MessageQueue queue) {
        use(queue);
        return CompletableFuture.completedFuture(offsets.getOrDefault(queue, NOT_STORED));
    }

    @Override
    public boolean isYoungerThanStored(MessageQueue queue) {
        return !loaded.containsKey(queue)
                && loaded.keySet().stream()
                        .anyMatch(known -> known.topic().equals(queue.topic())
                                && known.brokerName().equals(queue.brokerName()));
    }

    @Override
    public void update(MessageQueue queue, long offset) {
        use(queue);
        offsets.put(queue, offset);
    }

    @Override
    public long inMemory(MessageQueue queue) {
        return offsets.getOrDefault(queue, NOT_STORED);
    }

    @Override
    public CompletableFuture<Void> persist(Collection<MessageQueue> queues) {
        return save().handle((done, failure) -> {
            if (failure == null) {
                isFailing = false;
            } else if (!isFailing) {
                isFailing = true;
                LOG.warn(
                        "event=offset_file_not_written file={} reason=\"{}\"",
                        file,
                        Failures.unwrap(failure).getMessage());
            }
            return null;
        });
    }

    @Override
    public CompletableFuture<Void> commit(Map<MessageQueue, Long> positions) {
        positions.forEach(this::update);
        return save();
    }

    private CompletableFuture<Void> save() {
        CompletableFuture<Void> fresh = new CompletableFuture<>();
        CompletableFuture<Void> waiting = waitingWrite.compareAndExchange(null, fresh);
        if (waiting != null) {
            return waiting;
        }
        return onDisk(fresh, () -> {
            waitingWrite.set(null);
            writeWhatChanged();
        });
    }

    private void use(MessageQueue queue) {
        synchronized (unused) {
            unused.remove(queue);
        }
    }

    private void forgetUnused() {
        synchronized (unused) {
            if (offsets.size() > MAX_QUEUES && !unused.isEmpty()) {
                LOG.warn("event=offsets_forgotten file={} queues={} limit={}", file, unused.size(), MAX_QUEUES);
                offsets.keySet().removeAll(unused);
                unused.clear();
            }
        }
    }

    private void writeWhatChanged() throws IOException {
        forgetUnused();
        Map<MessageQueue, Long> newest = InOrder.copyOf(offsets);
        if (isOpen && !newest.equals(written)) {
            file.write(newest);
            written = newest;
        }
    }

    /** Something done with the file. */
    private interface Access {
        void run() throws IOException;
    }

    private CompletableFuture<Void> onDisk(Access access) {
        return onDisk(new CompletableFuture<>(), access);
    }

    private CompletableFuture<Void> onDisk(CompletableFuture<Void> done, Access access) {
        try {
            disk.execute(() -> {
                try {
                    access.run();
                    done.complete(null);
                } catch (IOException | RuntimeException e) {
                    done.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            done.completeExceptionally(e); // closed: the last write was made
        }
        return done;
    }

    /** A broadcasting consumer keeps its position even while a broker is away. */
    @Override
    public void forget(MessageQueue queue) {}

    @Override
    public void close() {
        if (disk instanceof ExecutorService own) {
            if (!own.isShutdown()) {
                own.execute(this::end);
                own.shutdown();
                awaitEnd(own);
            }
        } else {
            end();
        }
    }

    private void end() {
        try {
            writeWhatChanged();
            isOpen = false;
            file.unlock();
        } catch (IOException e) {
            LOG.warn("event=offset_file_not_written file={} reason=\"{}\"", file, e.getMessage());
        }
    }

    private void awaitEnd(ExecutorService own) {
        try {
            if (!own.awaitTermination(CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
                LOG.warn("event=offset_file_slow file={} waitedMs={}", file, CLOSE_TIMEOUT_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
