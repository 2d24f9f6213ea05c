package dev.perigee.store.index;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * Goes over the entries of one file that have one hash, newest first, down to a store time: store times never fall along the log
 * (R18). Opens the file only when memory does not do.
 */
@OwnedBy("its user")
final class IndexWalk implements AutoCloseable {
    private final Disk disk;
    private final IndexFile file;
    private final int hash;
    private final long beginMs;
    private final byte[] entry = new byte[IndexEntry.SIZE_BYTES];
    private @Nullable DiskFile source;
    private boolean begun;

    /** @param beginMs earliest store time of interest */
    IndexWalk(Disk disk, IndexFile file, int hash, long beginMs) {
        this.disk = disk;
        this.file = file;
        this.hash = hash;
        this.beginMs = beginMs;
    }

    /**
     * Goes to the next older entry that may be of interest; false when there is none, also when the file was deleted under the
     * reader.
     */
    boolean next() throws IOException {
        try {
            int number = begun ? IndexEntry.before(entry, 0) : newest();
            begun = true;
            while (number > 0) {
                load(number);
                if (latestMs() < beginMs) {
                    return false;
                }
                if (IndexEntry.hash(entry, 0) == hash) {
                    return true;
                }
                int before = IndexEntry.before(entry, 0);
                if (before >= number) {
                    throw new IOException("index file " + file.name() + " is torn at entry " + number);
                }
                number = before;
            }
            return false;
        } catch (NoSuchFileException e) {
            return false; // trimmed since the query began: what it held is gone, and so is everything older
        }
    }

    private int newest() throws IOException {
        int slot = hash & file.capacity() - 1;
        AtomicIntegerArray slots = file.slots();
        if (slots != null) {
            return slots.getAcquire(slot);
        }
        ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES);
        source().read(bytes, file.slotAt(slot));
        return bytes.getInt(0);
    }

    private void load(int number) throws IOException {
        IndexFile.Block block = file.blockOf(number);
        if (block != null) {
            System.arraycopy(
                    block.bytes(), (number - block.first()) * IndexEntry.SIZE_BYTES, entry, 0, IndexEntry.SIZE_BYTES);
            return;
        }
        if (source().read(ByteBuffer.wrap(entry), file.entryAt(number)) < IndexEntry.SIZE_BYTES) {
            throw new IOException("index file " + file.name() + " ends before entry " + number);
        }
    }

    /** One entry by its number; slow. */
    static byte[] read(Disk disk, IndexFile file, int number) throws IOException {
        try (IndexWalk walk = new IndexWalk(disk, file, 0, 0)) {
            walk.load(number);
            return walk.entry;
        }
    }

    private DiskFile source() throws IOException {
        DiskFile opened = source;
        if (opened == null) {
            opened = disk.openRead(file.name());
            source = opened;
        }
        return opened;
    }

    long physicalOffset() {
        return IndexEntry.physicalOffset(entry, 0);
    }

    /** The earliest time the entry's frame may have been stored at. */
    long earliestMs() {
        return file.range().earliestMs(IndexEntry.seconds(entry, 0));
    }

    private long latestMs() {
        return file.range().latestMs(IndexEntry.seconds(entry, 0));
    }

    @Override
    public void close() throws IOException {
        if (source != null) {
            source.close();
        }
    }
}
