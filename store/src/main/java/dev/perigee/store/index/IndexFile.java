package dev.perigee.store.index;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One hash file of the index.
 *
 * <pre>
 * 0        64                64 + 4 * entries
 * | header | slots (4 each)  | entries (20 each)
 * </pre>
 *
 * <p>While it grows, its slots are in memory and its last block of entries, too; written entries are already in the file.
 * Once full it is <em>sealed</em>: slots and header are written, and memory is let go. The view loop adds, the preparer
 * seals, any thread reads: the writer fills an entry and then publishes its number in a slot.
 */
@ThreadSafe
final class IndexFile {
    static final String FOLDER = "index";
    static final int HEADER_BYTES = 64;
    private static final int HEADER_CRC_AT = HEADER_BYTES - Integer.BYTES;
    private static final int MAGIC = 0x50474958;
    private static final int SLOTS_PER_WRITE = 16 * 1024;

    /** Entries in memory, from number {@code first} on. */
    @SuppressWarnings("ArrayRecordComponent") // shared with readers on purpose, never compared
    record Block(int first, byte[] bytes) {
        boolean holds(int number) {
            return number >= first && (number - first) * IndexEntry.SIZE_BYTES < bytes.length;
        }
    }

    private final Disk disk;
    private final long number;
    private final int capacity;
    private final int blockEntries;
    /** The last one is being filled; ones before it could not be written yet. */
    private volatile Block[] blocks = {};

    private volatile @Nullable AtomicIntegerArray slots;
    private volatile IndexRange range = IndexRange.EMPTY;
    private int count;
    private int written;
    private final CRC32C writtenCrc = new CRC32C();
    private @Nullable DiskFile file;

    IndexFile(Disk disk, long number, int capacity, int blockEntries) {
        this.disk = disk;
        this.number = number;
        this.capacity = capacity;
        this.blockEntries = blockEntries;
    }

    static IndexFile growing(Disk disk, long number, int capacity, int blockEntries) {
        IndexFile made = new IndexFile(disk, number, capacity, blockEntries);
        made.slots = new AtomicIntegerArray(capacity);
        return made;
    }

    static String name(long number) {
        String digits = Long.toString(number);
        return FOLDER + "/" + "0".repeat(20 - digits.length()) + digits;
    }

    String name() {
        return name(number);
    }

    long number() {
        return number;
    }

    int capacity() {
        return capacity;
    }

    int count() {
        return count;
    }

    int written() {
        return written;
    }

    /** The checksum of all written entries, for as long as the file grows. */
    int writtenCrc() {
        return (int) writtenCrc.getValue();
    }

    Block[] blocks() {
        return blocks;
    }

    boolean isFull() {
        return count == capacity;
    }

    boolean isSealed() {
        return slots == null;
    }

    IndexRange range() {
        return range;
    }

    // The view loop's side.

    void add(int hash, long physicalOffset, long storeTimestampMs) {
        AtomicIntegerArray heads = slots;
        if (heads == null || isFull()) {
            throw new IllegalStateException("index file " + name() + " takes no more entries");
        }
        if (count == 0) {
            range = IndexRange.EMPTY.from(physicalOffset, storeTimestampMs);
        }
        Block[] now = blocks;
        if (now.length == 0 || !now[now.length - 1].holds(count + 1)) {
            now = addBlock(now);
        }
        Block block = now[now.length - 1];
        int slot = hash & capacity - 1;
        IndexEntry.write(
                block.bytes(),
                (count + 1 - block.first()) * IndexEntry.SIZE_BYTES,
                hash,
                physicalOffset,
                range.secondsAt(storeTimestampMs),
                heads.getPlain(slot));
        count++;
        heads.setRelease(slot, count);
    }

    private Block[] addBlock(Block[] now) {
        Block[] longer = Arrays.copyOf(now, now.length + 1);
        longer[now.length] = new Block(count + 1, new byte[blockEntries * IndexEntry.SIZE_BYTES]);
        blocks = longer;
        return longer;
    }

    /** Says where the entries end; done once per pass, and when the file is full. */
    void reached(long physicalOffset, long storeTimestampMs) {
        range = range.to(physicalOffset, storeTimestampMs);
    }

    /** Whether a whole block waits to be written. */
    boolean blockDue() {
        return count - written >= blockEntries;
    }

    int pendingBlocks() {
        return blocks.length;
    }

    /** Writes whole blocks and lets go of them. */
    void writeBlocks() throws IOException {
        DiskFile target = openFile();
        Block[] now = blocks;
        int done = 0;
        try {
            while (done < now.length && now[done].first() - 1 + blockEntries <= count) {
                target.write(ByteBuffer.wrap(now[done].bytes()), entryAt(now[done].first()));
                written = now[done].first() - 1 + blockEntries;
                writtenCrc.update(now[done].bytes());
                done++;
            }
        } finally { // those before a failure are not written, and summed up, again
            blocks = Arrays.copyOfRange(now, done, now.length);
        }
    }

    private DiskFile openFile() throws IOException {
        DiskFile opened = file;
        if (opened == null) {
            opened = disk.open(name());
            if (opened.size() != fileBytes()) {
                opened.resize(fileBytes());
            }
            file = opened;
        }
        return opened;
    }

    long fileBytes() {
        return HEADER_BYTES + (long) capacity * (Integer.BYTES + IndexEntry.SIZE_BYTES);
    }

    long entryAt(int entryNumber) {
        return HEADER_BYTES + (long) capacity * Integer.BYTES + (entryNumber - 1L) * IndexEntry.SIZE_BYTES;
    }

    /** Closes the writer's handle; reading goes on. */
    void closeFile() throws IOException {
        DiskFile opened = file;
        file = null;
        if (opened != null) {
            opened.close();
        }
    }

    // The preparer's side.

    /** Writes slots and header of a full file, durably, and lets go of the slots in memory. Blocks some ten ms. */
    void seal() throws IOException {
        AtomicIntegerArray heads = slots;
        if (heads == null) {
            return;
        }
        try (DiskFile target = disk.open(name())) {
            for (int from = 0; from < capacity; from += SLOTS_PER_WRITE) {
                int run = Math.min(SLOTS_PER_WRITE, capacity - from);
                ByteBuffer bytes = ByteBuffer.allocate(run * Integer.BYTES);
                for (int i = 0; i < run; i++) {
                    bytes.putInt(heads.get(from + i));
                }
                target.write(bytes.flip(), HEADER_BYTES + (long) from * Integer.BYTES);
            }
            target.write(header(), 0);
            target.force();
        }
        slots = null;
    }

    private ByteBuffer header() {
        IndexRange now = range;
        ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES);
        bytes.putInt(MAGIC).putLong(number).putInt(capacity);
        bytes.putLong(now.beginMs())
                .putLong(now.endMs())
                .putLong(now.beginOffset())
                .putLong(now.endOffset());
        bytes.putInt(HEADER_CRC_AT, crc(bytes));
        return bytes.rewind();
    }

    private static int crc(ByteBuffer header) {
        CRC32C crc = new CRC32C();
        crc.update(header.duplicate().position(0).limit(HEADER_CRC_AT));
        return (int) crc.getValue();
    }

    /** Makes the blocks written so far durable. */
    void force() throws IOException {
        if (disk.exists(name())) {
            try (DiskFile target = disk.open(name())) {
                target.force();
            }
        }
    }

    // Restoring, before the loop starts.

    /** Takes over a file that was sealed when the checkpoint was written. */
    void restoreSealed(IndexRange covered) throws IOException {
        count = capacity;
        written = capacity;
        range = covered;
        try (DiskFile source = disk.openRead(name())) {
            ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES);
            source.read(bytes, 0);
            if (source.size() != fileBytes() || !bytes.flip().equals(header())) {
                throw new IOException("index file " + name() + " is torn");
            }
        }
    }

    /** Takes over the written entries of a file that was growing, and finds its slots again. */
    void restoreWritten(int entries, int crc, IndexRange covered) throws IOException {
        range = covered;
        if (entries == 0) {
            return;
        }
        byte[] bytes = new byte[entries * IndexEntry.SIZE_BYTES];
        try (DiskFile source = disk.openRead(name())) {
            if (source.read(ByteBuffer.wrap(bytes), entryAt(1)) < bytes.length) {
                throw new IOException("index file " + name() + " is shorter than its " + entries + " entries");
            }
        }
        writtenCrc.update(bytes);
        if (writtenCrc() != crc) {
            throw new IOException("index file " + name() + " has a wrong checksum over its " + entries + " entries");
        }
        for (int i = 0; i < entries; i++) {
            relink(bytes, i * IndexEntry.SIZE_BYTES);
        }
        written = entries;
    }

    /** Takes over an entry that was in no file. */
    void restoreEntry(byte[] entry) throws IOException {
        Block[] now = blocks;
        if (now.length == 0 || !now[now.length - 1].holds(count + 1)) {
            now = addBlock(now);
        }
        Block block = now[now.length - 1];
        System.arraycopy(
                entry, 0, block.bytes(), (count + 1 - block.first()) * IndexEntry.SIZE_BYTES, IndexEntry.SIZE_BYTES);
        relink(entry, 0);
    }

    private void relink(byte[] source, int at) throws IOException {
        AtomicIntegerArray heads = slots;
        if (heads == null) {
            throw new IllegalStateException("index file " + name() + " is sealed");
        }
        int slot = IndexEntry.hash(source, at) & capacity - 1;
        if (heads.getPlain(slot) != IndexEntry.before(source, at)) {
            throw new IOException("index file " + name() + " is torn at entry " + (count + 1));
        }
        count++;
        heads.setPlain(slot, count);
    }

    // Any thread.

    /** The block in memory that holds an entry; null when it is in the file. */
    @Nullable
    Block blockOf(int entryNumber) {
        for (Block block : blocks) {
            if (block.holds(entryNumber)) {
                return block;
            }
        }
        return null;
    }

    /** The slots while they are in memory. */
    @Nullable
    AtomicIntegerArray slots() {
        return slots;
    }

    long slotAt(int slot) {
        return HEADER_BYTES + (long) slot * Integer.BYTES;
    }
}
