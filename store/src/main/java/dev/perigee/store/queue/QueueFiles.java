package dev.perigee.store.queue;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.block.BlockWriter;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The files behind all consume queues: {@code consumequeue/<topic>/<queueId>/<20-digit byte offset>}, each of full size
 * from the start (sparse until written). Writing, forcing and forgetting belong to the preparer, mappings to any thread.
 *
 * <p>A mapping stays valid when the file is closed or deleted, so readers need no lock and no count.
 */
@OwnedBy("preparer")
final class QueueFiles implements BlockWriter.Files<EntryBlock> {
    static final String ROOT = "consumequeue";

    private static final Pattern PLAIN = Pattern.compile("[%|a-zA-Z0-9_-]{1,255}");
    private static final String SPELLED = "~";

    private record FileKey(String folder, long index) {}

    private final Disk disk;
    private final QueueConfig config;
    private final Map<String, DiskFile> open = new LinkedHashMap<>(64, 0.75f, true);
    private final Map<FileKey, ByteBuffer> mapped = new ConcurrentHashMap<>();
    // Guards keeping a mapping against dropping its file: a reader that was slow to map must not bring back what was
    // dropped meanwhile, and it cannot wait for a message from who drops. Held for map operations only.
    private final Object mapLock = new Object();
    private long drops;
    /** Files with bytes that no force has covered. */
    private final Set<String> dirty = new LinkedHashSet<>();
    /** Folders with names that are not synced. */
    private final Set<String> newFolders = new LinkedHashSet<>();
    /** Files this run has opened for writing: their names are synced by the next checkpoint, or were by an earlier one. */
    private final Set<String> named = new HashSet<>();

    QueueFiles(Disk disk, QueueConfig config) {
        this.disk = disk;
        this.config = config;
    }

    /** Where the queues of a topic lie. A topic that is no plain name gets a folder that spells its bytes. */
    static String topicFolder(String topic) {
        return ROOT + "/"
                + (PLAIN.matcher(topic).matches()
                        ? topic
                        : SPELLED + HexFormat.of().formatHex(topic.getBytes(StandardCharsets.UTF_8)));
    }

    static String queueFolder(String topic, int queueId) {
        return topicFolder(topic) + "/" + queueId;
    }

    static String fileName(String folder, long startBytes) {
        String digits = Long.toString(startBytes);
        return folder + "/" + "0".repeat(20 - digits.length()) + digits;
    }

    private String fileOf(String folder, long index) {
        return fileName(folder, index * config.fileBytes());
    }

    @Override
    public int sizeBytes(EntryBlock block) {
        return block.bytes.length;
    }

    @Override
    public void write(EntryBlock block) throws IOException {
        if (!block.isAbandoned()) {
            write(block.queue.folder(), block.firstOffset, block.bytes, 0, block.count);
            block.inFile();
        }
    }

    /** Writes entries at their place, across the border of two files when they lie so. Preparer. */
    void write(String folder, long queueOffset, byte[] entries, int from, int count) throws IOException {
        long at = queueOffset;
        int next = from;
        int left = count;
        while (left > 0) {
            int inFile = (int) (at % config.entriesPerFile());
            int run = Math.min(left, config.entriesPerFile() - inFile);
            ByteBuffer bytes = ByteBuffer.wrap(entries, next * QueueEntry.SIZE_BYTES, run * QueueEntry.SIZE_BYTES);
            String name = fileOf(folder, at / config.entriesPerFile());
            dirty.add(name); // also when the write fails half-way
            file(folder, name).write(bytes, (long) inFile * QueueEntry.SIZE_BYTES);
            at += run;
            next += run;
            left -= run;
        }
    }

    private DiskFile file(String folder, String name) throws IOException {
        DiskFile file = open.get(name);
        if (file != null) {
            return file;
        }
        closeEldest();
        file = whole(disk.open(name));
        if (named.add(name)) {
            newFolders.add(folder); // new, or made by a run that was killed before it synced the name
        }
        open.put(name, file);
        return file;
    }

    private DiskFile whole(DiskFile file) throws IOException {
        boolean done = false;
        try {
            if (file.size() != config.fileBytes()) {
                file.resize(config.fileBytes());
            }
            done = true;
            return file;
        } finally {
            if (!done) {
                file.close();
            }
        }
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
        try (DiskFile file = disk.openRead(fileOf(folder, index))) {
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

    /** Lets the mappings of a queue that is gone go; its files may still be written. Any thread. */
    void unmapFolder(String folder) {
        dropMappings(key -> key.folder().equals(folder));
    }

    /** As above, for one file of a queue. */
    void unmapFile(String folder, long index) {
        dropMappings(new FileKey(folder, index)::equals);
    }

    /** The files that a checkpoint has to {@link #force} now. Preparer. */
    List<String> unforced() {
        return new ArrayList<>(dirty);
    }

    /** Makes durable what was written to a file. Preparer. */
    void force(String name) throws IOException {
        DiskFile file = open.get(name);
        if (file != null) {
            file.force();
        } else if (disk.exists(name)) {
            try (DiskFile opened = disk.open(name)) {
                opened.force();
            }
        }
        dirty.remove(name);
    }

    /** The folders that a checkpoint has to sync now, for they got new files. Preparer. */
    List<String> unsyncedFolders() {
        return new ArrayList<>(newFolders);
    }

    /** The names in a folder are durable. Preparer. */
    void synced(String folder) {
        newFolders.remove(folder);
    }

    /** Lets go of everything about a file, or about all files of a folder, that is about to be deleted. Preparer. */
    void forget(String name) {
        Predicate<String> doomed =
                each -> each.startsWith(name) && (each.length() == name.length() || each.charAt(name.length()) == '/');
        for (String each : List.copyOf(open.keySet())) {
            if (doomed.test(each)) {
                closeFile(open.remove(each));
            }
        }
        dirty.removeIf(doomed);
        named.removeIf(doomed);
        newFolders.remove(name);
        dropMappings(key -> key.folder().equals(name) // mapped since its queue is gone
                || (name.startsWith(key.folder()) && name.equals(fileOf(key.folder(), key.index()))));
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

    /** Closes and forgets all files. While the loops do not run. */
    void close() {
        open.values().forEach(QueueFiles::closeFile);
        open.clear();
        dropMappings(key -> true);
        named.clear();
        dirty.clear();
        newFolders.clear();
    }
}
