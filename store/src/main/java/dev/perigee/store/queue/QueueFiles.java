package dev.perigee.store.queue;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The files behind all consume queues: {@code consumequeue/<topic>/<queueId>/<20-digit byte offset>}, each of full size
 * from the start (sparse until written). Writing belongs to the view loop; {@link #map} may be called by any thread.
 *
 * <p>A mapping stays valid when the file is closed or deleted, so readers need no lock and no count.
 */
@OwnedBy("view loop")
final class QueueFiles {
    private record FileKey(String folder, long index) {}

    private final Disk disk;
    private final QueueConfig config;
    private final Map<FileKey, DiskFile> open = new LinkedHashMap<>(64, 0.75f, true);
    private final Map<FileKey, ByteBuffer> mapped = new ConcurrentHashMap<>();
    // Guards keeping a mapping against dropping its file: a reader that was slow to map must not bring back what the
    // view loop has dropped meanwhile, and it cannot wait for a message from that loop. Held for map operations only.
    private final Object mapLock = new Object();
    private long drops;
    private Set<String> dirty = new LinkedHashSet<>();
    private Set<String> newFolders = new LinkedHashSet<>();
    /** Files this run has opened for writing: their names are synced by the next checkpoint, or were by an earlier one. */
    private final Set<FileKey> named = new HashSet<>();

    QueueFiles(Disk disk, QueueConfig config) {
        this.disk = disk;
        this.config = config;
    }

    static String fileName(String folder, long startBytes) {
        String digits = Long.toString(startBytes);
        return folder + "/" + "0".repeat(20 - digits.length()) + digits;
    }

    private static String fileOf(String folder, long fromOffset, int entriesPerFile) {
        return fileName(folder, fromOffset / entriesPerFile * entriesPerFile * QueueEntry.SIZE_BYTES);
    }

    /** Writes entries at their place, across the border of two files when they lie so. View loop only. */
    void write(String folder, long queueOffset, byte[] entries, int from, int count) throws IOException {
        long at = queueOffset;
        int next = from;
        int left = count;
        while (left > 0) {
            int inFile = (int) (at % config.entriesPerFile());
            int run = Math.min(left, config.entriesPerFile() - inFile);
            ByteBuffer bytes = ByteBuffer.wrap(entries, next * QueueEntry.SIZE_BYTES, run * QueueEntry.SIZE_BYTES);
            file(folder, at / config.entriesPerFile()).write(bytes, (long) inFile * QueueEntry.SIZE_BYTES);
            dirty.add(fileOf(folder, at, config.entriesPerFile()));
            at += run;
            next += run;
            left -= run;
        }
    }

    private DiskFile file(String folder, long index) throws IOException {
        FileKey key = new FileKey(folder, index);
        DiskFile file = open.get(key);
        if (file != null) {
            return file;
        }
        closeEldest();
        String name = fileName(folder, index * config.fileBytes());
        file = disk.open(name);
        if (file.size() != config.fileBytes()) {
            file.resize(config.fileBytes());
        }
        if (named.add(key)) {
            newFolders.add(folder); // new, or made by a run that was killed before it synced the name
        }
        open.put(key, file);
        return file;
    }

    private void closeEldest() throws IOException {
        while (open.size() >= config.openFiles()) {
            var eldest = open.entrySet().iterator();
            DiskFile file = eldest.next().getValue();
            eldest.remove();
            file.close();
        }
    }

    /** The whole file, read-only, that holds a queue offset. May open the file. Any thread. */
    ByteBuffer map(String folder, long index) throws IOException {
        FileKey key = new FileKey(folder, index);
        ByteBuffer known = mapped.get(key);
        if (known != null) {
            return known;
        }
        long dropsBefore = drops();
        try (DiskFile file = disk.openRead(fileName(folder, index * config.fileBytes()))) {
            ByteBuffer bytes = file.map(0, config.fileBytes());
            keep(key, bytes, dropsBefore);
            return bytes;
        }
    }

    private long drops() {
        synchronized (mapLock) {
            return drops;
        }
    }

    /** Keeps a mapping unless anything was dropped since: it may show a file whose name another queue takes over. */
    private void keep(FileKey key, ByteBuffer bytes, long dropsBefore) {
        synchronized (mapLock) {
            if (drops != dropsBefore) {
                return;
            }
            if (mapped.size() >= config.mappedFiles()) {
                mapped.clear();
            }
            mapped.put(key, bytes);
        }
    }

    private void dropMappings(Predicate<FileKey> doomed) {
        synchronized (mapLock) {
            drops++;
            mapped.keySet().removeIf(doomed);
        }
    }

    /** The files written since this was asked last: what a checkpoint has to make durable. View loop only. */
    Set<String> takeDirty() {
        Set<String> taken = dirty;
        dirty = new LinkedHashSet<>();
        return taken;
    }

    /** The folders that got new files since this was asked last. View loop only. */
    Set<String> takeNewFolders() {
        Set<String> taken = newFolders;
        newFolders = new LinkedHashSet<>();
        return taken;
    }

    /** Lets go of everything about a folder whose queue is gone. View loop only. */
    void dropFolder(String folder) {
        for (FileKey key : List.copyOf(open.keySet())) {
            if (key.folder().equals(folder)) {
                closeFile(open.remove(key));
            }
        }
        dropMappings(key -> key.folder().equals(folder));
        dirty.removeIf(name -> name.startsWith(folder + "/"));
        named.removeIf(key -> key.folder().equals(folder));
        newFolders.remove(folder);
    }

    /** Lets go of one file of a queue. View loop only. */
    void dropFile(String folder, long index) {
        FileKey key = new FileKey(folder, index);
        closeFile(open.remove(key));
        dropMappings(key::equals);
        named.remove(key);
        dirty.remove(fileName(folder, index * config.fileBytes()));
    }

    private static void closeFile(@Nullable DiskFile file) {
        if (file == null) {
            return;
        }
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException("closing " + file.name(), e);
        }
    }

    /** Closes all files. View loop only. */
    void close() {
        open.values().forEach(QueueFiles::closeFile);
        open.clear();
        dropMappings(key -> true);
        named.clear();
    }
}
