package dev.perigee.store.index;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.block.BlockWriter;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.log.Preparer.StandingTask;
import dev.perigee.store.view.LogEntry;
import dev.perigee.store.view.LogFrames;
import dev.perigee.store.view.LogView;
import dev.perigee.store.view.PropertyScan;
import dev.perigee.store.view.ViewImage;
import java.io.DataInput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds frames by key: folds the unique key and every blank-separated key of each message into hash files. Optional; what
 * it loses is found again by a replay. {@link #query} is for cold readers, the rest for the view loop.
 */
@ThreadSafe
public final class KeyIndexView implements LogView {
    /** Its name as a view. */
    public static final String NAME = IndexFile.FOLDER;

    private static final int TRANSACTION_BITS = 0xC;
    private static final int ROLLED_BACK = 0xC;
    /** Whole blocks that may wait in memory to be written; beyond it the view takes no entries. */
    private static final int MAX_PENDING_BLOCKS = 64;

    private final Disk disk;
    private final IndexConfig config;
    private final LogFrames frames;
    private final Set<String> garbage = ConcurrentHashMap.newKeySet();
    private final BlockWriter<IndexFile.Block> writer = new BlockWriter<>(NAME, new IndexFile.BlockFiles());
    /** Oldest first; replaced as a whole. */
    private volatile List<IndexFile> files = List.of();

    private @Nullable IndexFile growing;
    private long startOffset;
    private long lastOffset;
    private long lastTimeMs;

    public KeyIndexView(Disk disk, IndexConfig config, LogFrames frames) {
        this.disk = disk;
        this.config = config;
        this.frames = frames;
    }

    @Override
    public String name() {
        return NAME;
    }

    /**
     * Finds messages by key, newest first. May wait for the disk: for cold readers.
     *
     * @param key a unique key or one of the keys, compared as text
     * @param maxResults how many at most
     * @param beginMs earliest store time (inclusive)
     * @param endMs latest store time (inclusive)
     * @return where their frames lie in the log
     */
    public List<Long> query(String topic, String key, int maxResults, long beginMs, long endMs) {
        Set<Long> found = new LinkedHashSet<>();
        KeyQuery wanted = new KeyQuery(topic, key, beginMs, endMs);
        LogEntry entry = new LogEntry();
        int hash = KeyHash.of(topic, key);
        List<IndexFile> now = files;
        for (int i = now.size() - 1; i >= 0 && found.size() < maxResults; i--) {
            IndexFile file = now.get(i);
            IndexRange range = file.range();
            if (i < now.size() - 1 && range.endMs() < beginMs) {
                break;
            }
            if (range.beginMs() > endMs) {
                continue;
            }
            try (IndexWalk walk = new IndexWalk(disk, file, hash, beginMs)) {
                while (found.size() < maxResults && walk.next()) {
                    if (walk.earliestMs() <= endMs
                            && frames.show(walk.physicalOffset(), entry, wanted::look)
                            && wanted.takeMatched()) {
                        found.add(walk.physicalOffset());
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException("searching key " + key + " of topic " + topic, e);
            }
        }
        return List.copyOf(found);
    }

    @Override
    public void apply(LogEntry entry) {
        PropertyScan properties = entry.properties();
        if (entry.isFact() || (entry.sysFlag() & TRANSACTION_BITS) == ROLLED_BACK) {
            return;
        }
        if (properties.uniqueKeyTo() > properties.uniqueKeyFrom()) {
            add(entry, properties.uniqueKeyFrom(), properties.uniqueKeyTo());
        }
        int from = properties.keysFrom();
        int end = properties.keysTo();
        while (from < end) {
            int to = KeyQuery.endOfKey(properties.bytes(), from, end);
            if (to > from) {
                add(entry, from, to);
            }
            from = to + 1;
        }
    }

    private void add(LogEntry entry, int from, int to) {
        IndexFile file = growing;
        if (file == null) {
            file = begin();
        }
        lastOffset = entry.offset();
        lastTimeMs = entry.storeTimestampMs();
        file.add(KeyHash.of(entry.logTopic(), entry.properties().bytes(), from, to), lastOffset, lastTimeMs);
        IndexFile.Block filled = file.justFilled();
        if (filled != null) {
            writer.take(filled);
        }
        if (file.isFull()) {
            file.reached(lastOffset, lastTimeMs);
            growing = null;
        }
    }

    private IndexFile begin() {
        List<IndexFile> now = files;
        IndexFile newest = now.isEmpty() ? null : now.get(now.size() - 1);
        long number = newest == null ? firstNumber() : newest.number() + 1;
        int capacity = newest == null ? config.firstFileEntries() : config.entriesAfter(newest.capacity());
        IndexFile made = IndexFile.growing(disk, number, capacity, config.blockEntries());
        List<IndexFile> longer = new ArrayList<>(now);
        longer.add(made);
        files = List.copyOf(longer);
        growing = made;
        return made;
    }

    /** A number no file waiting for its deletion has. */
    private long firstNumber() {
        long number = 0;
        while (garbage.contains(IndexFile.name(number))) {
            number++;
        }
        return number;
    }

    /**
     * Has files written elsewhere from now on, when the log is replayed and before the loops start; before, whoever applies
     * entries writes them.
     *
     * @param wake makes whoever runs the task do so soon; called on the view loop
     * @return the writing, for the preparer
     */
    public StandingTask writeElsewhere(Runnable wake) {
        writer.helpedBy(wake);
        return writer;
    }

    /** Has files written by whoever applies entries again; when the loops have ended. */
    public void writeHere() {
        writer.unhelped();
    }

    /** False while the files of the index are not written and as much waits in memory as may. */
    @Override
    public boolean hasRoom() {
        if (isOverfull()) {
            writer.retryUnhelped();
        }
        return !isOverfull();
    }

    private boolean isOverfull() {
        return writer.waitingBytes() > MAX_PENDING_BLOCKS * (long) config.blockEntries() * IndexEntry.SIZE_BYTES;
    }

    /** Whether no more messages should be taken now, because files of the index cannot be written. Any thread. */
    public boolean isHeldUp() {
        return writer.isFailing() && isOverfull();
    }

    @Override
    public void passEnded() {
        IndexFile file = growing;
        if (file != null && file.count() > 0) {
            file.reached(lastOffset, lastTimeMs);
        }
        writer.wakeForTaken();
    }

    @Override
    public ViewImage freeze() {
        List<IndexImage.Frozen> frozen = new ArrayList<>();
        for (IndexFile file : files) {
            frozen.add(IndexImage.Frozen.of(file));
        }
        return new IndexImage(frozen, startOffset, garbage);
    }

    @Override
    public void trimmed(long logStart) {
        startOffset = Math.max(startOffset, logStart);
        List<IndexFile> kept = new ArrayList<>();
        for (IndexFile file : files) {
            if (file.isFull() && file.range().endOffset() < logStart) {
                file.drop();
                garbage.add(file.name());
            } else {
                kept.add(file);
            }
        }
        files = List.copyOf(kept);
    }

    @Override
    public void restore(DataInput state) throws IOException {
        int version = state.readInt();
        if (version != IndexImage.VERSION) {
            throw new IOException("index checkpoint of version " + version + "; this is " + IndexImage.VERSION);
        }
        startOffset = state.readLong();
        List<IndexFile> restored = new ArrayList<>();
        int count = state.readInt();
        for (int i = 0; i < count; i++) {
            restored.add(restoreFile(state));
        }
        int names = state.readInt();
        for (int i = 0; i < names; i++) {
            garbage.add(state.readUTF());
        }
        files = List.copyOf(restored);
        if (count > 0 && !restored.get(count - 1).isFull()) {
            growing = restored.get(count - 1);
        }
    }

    private IndexFile restoreFile(DataInput state) throws IOException {
        long number = state.readLong();
        int capacity = state.readInt();
        int count = state.readInt();
        int written = state.readInt();
        int crc = state.readInt();
        boolean sealed = state.readBoolean();
        IndexRange range = new IndexRange(state.readLong(), state.readLong(), state.readLong(), state.readLong());
        if (capacity % config.blockEntries() != 0
                || Integer.bitCount(capacity) != 1
                || written % config.blockEntries() != 0
                || written > count
                || count > capacity) {
            throw new IOException("index checkpoint of file " + number + " speaks of " + written + ", " + count
                    + " and " + capacity + " entries");
        }
        if (sealed) {
            IndexFile file = new IndexFile(disk, number, capacity, config.blockEntries());
            file.restoreSealed(range);
            return file;
        }
        IndexFile file = IndexFile.growing(disk, number, capacity, config.blockEntries());
        file.restoreWritten(written, crc, range);
        byte[] entry = new byte[IndexEntry.SIZE_BYTES];
        for (int i = written; i < count; i++) {
            state.readFully(entry);
            file.restoreEntry(entry);
            IndexFile.Block filled = file.justFilled();
            if (filled != null) {
                writer.take(filled);
            }
        }
        return file;
    }

    @Override
    public void forget() throws IOException {
        for (IndexFile file : files) {
            file.closeFile();
        }
        files = List.of();
        growing = null;
        writer.clear();
        garbage.clear();
        startOffset = 0;
        for (String child : disk.list(IndexFile.FOLDER)) {
            disk.delete(IndexFile.FOLDER + "/" + child);
        }
    }

    @Override
    public String fingerprint() {
        StringBuilder text = new StringBuilder();
        try {
            for (IndexFile file : files) {
                IndexDump.describe(disk, file, startOffset, text);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }
}
