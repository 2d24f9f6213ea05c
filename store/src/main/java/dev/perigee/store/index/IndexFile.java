package dev.perigee.store.index;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.block.BlockWriter;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
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
 * writes blocks and seals, any thread reads: who adds fills an entry and then publishes its number in a slot.
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
    record Block(IndexFile file, int first, byte[] bytes) {
        boolean holds(int number) {
            return number >= first && number < end();
        }

        /** The number behind its last entry. */
        int end() {
            return first + bytes.length / IndexEntry.SIZE_BYTES;
        }

        @Override
        public String toString() {
            return file.name() + " from " + first;
        }
    }

    /** Where the writer's blocks go. */
    static final class BlockFiles implements BlockWriter.Files<Block> {
        @Override
        public int sizeBytes(Block block) {
            return block.bytes().length;
        }

        @Override
        public void write(Block block) throws IOException {
            block.file().write(block);
        }
    }

    /** How many entries are in the file, and their checksum. */
    record Written(int count, int crc) {
        static final Written NOTHING = new Written(0, 0);
    }

    private final Disk disk;
    private final long number;
    private final int capacity;
    private final int blockEntries;
    /** The last one may be being filled; ones before it are not in the file yet. */
    private final AtomicReference<Block[]> blocks = new AtomicReference<>(new Block[0]);

    private volatile @Nullable AtomicIntegerArray slots;
    private volatile IndexRange range = IndexRange.EMPTY;
    private int count;
    private volatile Written written = Written.NOTHING;
    // The writer's own.
    private final CRC32C writtenCrc = new CRC32C();
    private @Nullable DiskFile file;
    private volatile boolean dropped;

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

    /** What is in the file. Whoever wants the rest from memory takes {@link #blocks} before. */
    Written written() {
        return written;
    }

    /** Blocks in memory, oldest first: all entries that are not in the file, and some that have just come there. */
    Block[] blocks() {
        return Objects.requireNonNull(blocks.get()); // never set to null
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
        Block block = blockForNext();
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

    private Block blockForNext() {
        Block[] now = blocks();
        Block last = now.length == 0 ? null : now[now.length - 1];
        if (last != null && last.holds(count + 1)) {
            return last;
        }
        Block made = new Block(this, count + 1, new byte[blockEntries * IndexEntry.SIZE_BYTES]);
        blocks.updateAndGet(before -> {
            Block[] longer = Arrays.copyOf(before, before.length + 1);
            longer[before.length] = made;
            return longer;
        });
        return made;
    }

    /** Says where the entries end; done once per pass, and when the file is full. */
    void reached(long physicalOffset, long storeTimestampMs) {
        range = range.to(physicalOffset, storeTimestampMs);
    }

    /** Nobody wants a full file any more: what waits to be written to it is passed over. */
    void drop() {
        dropped = true;
    }

    /** The block that the last entry has filled up; null when there is still room in it. */
    @Nullable
    Block justFilled() {
        Block[] now = blocks();
        return now.length > 0 && now[now.length - 1].end() == count + 1 ? now[now.length - 1] : null;
    }

    // The writer's side, which is the preparer while that runs.

    /** Writes a whole block, the oldest one in memory, and lets go of it. */
    void write(Block block) throws IOException {
        if (dropped) {
            closeFile();
            return;
        }
        openFile().write(ByteBuffer.wrap(block.bytes()), entryAt(block.first()));
        writtenCrc.update(block.bytes());
        written = new Written(block.end() - 1, (int) writtenCrc.getValue()); // before it goes: see written()
        blocks.updateAndGet(now -> Arrays.copyOfRange(now, 1, now.length));
        if (written.count() == capacity) {
            closeFile();
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
        written = new Written(capacity, 0);
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
        written = new Written(entries, (int) writtenCrc.getValue());
        if (written.crc() != crc) {
            throw new IOException("index file " + name() + " has a wrong checksum over its " + entries + " entries");
        }
        for (int i = 0; i < entries; i++) {
            relink(bytes, i * IndexEntry.SIZE_BYTES);
        }
    }

    /** Takes over an entry that was in no file. */
    void restoreEntry(byte[] entry) throws IOException {
        Block block = blockForNext();
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
        for (Block block : blocks()) {
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
