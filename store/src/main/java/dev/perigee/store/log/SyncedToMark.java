package dev.perigee.store.log;

import dev.perigee.loop.Opened;
import dev.perigee.loop.OwnedBy;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Remembers outside the log how far the log is known to be on the disk (R7): what lies below and is damaged is rotten,
 * not torn. Two slots, 4 KiB apart: one is written over until that is forced, and then the other, so that a loss of power that tears what
 * was written leaves the last one that was forced.
 *
 * <pre>
 * slot: | magic 8 | sequence 8 | log id 8 | synced to 8 | generation 8 | epoch 8 | store ms 8 | boot id 8 | flags 8 | lost 8 | crc32c 8 |
 * </pre>
 */
@OwnedBy("flusher")
public final class SyncedToMark implements AutoCloseable {
    /** The file, beside the log's folder. */
    public static final String FILE = "synced-to";

    private static final long MAGIC = 0x5045_5249_4d41_5232L; // PERIMAR2
    private static final int SLOT_BYTES = 88;
    private static final int CRC_AT = SLOT_BYTES - Long.BYTES;
    private static final int SLOT_DISTANCE = 4096;
    private static final long CLEAN = 1;
    private static final long ASYNC = 2;
    private static final long CUTTING = 4;
    private static final long RECEIVED = 8;
    private static final long FOLLOWED = 16;
    private static final long ALONE = 32;

    /**
     * What a mark says.
     *
     * @param logId the log it speaks of
     * @param syncedTo everything below is on the disk
     * @param generation how often the log was cut (R1)
     * @param epoch the epoch of the byte before: {@link #NO_EPOCH} where nothing of the log lies there, {@link #UNKNOWN_EPOCH} where that
     *     was not looked at
     * @param storeTimestampMs at least the store timestamp of the last frame below
     * @param bootId names the run of the machine
     * @param clean whether the store was closed in order: nothing lies behind
     * @param async whether flushing was asynchronous: acknowledged bytes may lie behind
     * @param cutting whether what lies behind is being cut off: then nothing of it may come back (R3)
     * @param received whether bytes that another node sealed may lie behind: their stamps speak of its disk, not of this one
     * @param followed whether another node wrote the log's end, which this one followed: that one may have written more
     * @param alone whether this node may have confirmed all of the log, to its end, without asking anybody
     * @param lostBytes how many acknowledged bytes may be missing behind, without the log having said so yet
     */
    public record Mark(
            long logId,
            long syncedTo,
            long generation,
            int epoch,
            long storeTimestampMs,
            long bootId,
            boolean clean,
            boolean async,
            boolean cutting,
            boolean received,
            boolean followed,
            boolean alone,
            long lostBytes) {
        /** Of a log without a byte: what it is synced to is where it would begin. */
        public static final int NO_EPOCH = 0;

        /** There are bytes before. */
        public static final int UNKNOWN_EPOCH = -1;

        /** The same, but that so many acknowledged bytes may be missing. */
        public Mark withLostBytes(long bytes) {
            return with(alone, bytes);
        }

        /** The same, but that the confirm offset is known, and the log was not confirmed beyond it. */
        public Mark ofOneThatAsks() {
            return with(false, lostBytes);
        }

        private Mark with(boolean nowAlone, long nowLostBytes) {
            return new Mark(
                    logId,
                    syncedTo,
                    generation,
                    epoch,
                    storeTimestampMs,
                    bootId,
                    clean,
                    async,
                    cutting,
                    received,
                    followed,
                    nowAlone,
                    nowLostBytes);
        }

        private long flags() {
            return (clean ? CLEAN : 0)
                    | (async ? ASYNC : 0)
                    | (cutting ? CUTTING : 0)
                    | (received ? RECEIVED : 0)
                    | (followed ? FOLLOWED : 0)
                    | (alone ? ALONE : 0);
        }
    }

    private record Slot(long sequence, Mark mark) {}

    private final DiskFile file;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(SLOT_BYTES);
    private final CRC32C crc = new CRC32C();
    private long sequence;
    /** The slot that does not hold the last mark that was forced: 0 or 1. */
    private int spare;

    private boolean isForced = true;
    private Optional<Mark> last;

    private SyncedToMark(DiskFile file) {
        this.file = file;
        this.last = Optional.empty();
    }

    /** Opens the file and reads the newer valid slot. */
    public static SyncedToMark open(Disk disk) throws IOException {
        boolean fresh = !disk.exists(FILE);
        try (Opened opened = new Opened()) {
            DiskFile file = disk.open(FILE);
            opened.add(file);
            if (file.size() < SLOT_DISTANCE + SLOT_BYTES) {
                file.resize(2 * SLOT_DISTANCE);
            }
            file.force(); // a killed process may have left its last mark in memory only
            if (fresh) {
                disk.syncFolder("");
            }
            SyncedToMark mark = new SyncedToMark(file);
            mark.load();
            opened.keep();
            return mark;
        }
    }

    /** The newest mark on the disk when it was opened, or the last one written since. */
    public Optional<Mark> last() {
        return last;
    }

    /** Writes a mark, not over the last one that was forced; durable only after {@link #force}. */
    public void write(Mark mark) throws IOException {
        sequence++;
        buffer.clear();
        buffer.putLong(MAGIC).putLong(sequence);
        buffer.putLong(mark.logId()).putLong(mark.syncedTo()).putLong(mark.generation());
        buffer.putLong(mark.epoch()).putLong(mark.storeTimestampMs()).putLong(mark.bootId());
        buffer.putLong(mark.flags());
        buffer.putLong(mark.lostBytes());
        buffer.putLong(checksum());
        file.write(buffer.flip(), (long) spare * SLOT_DISTANCE);
        isForced = false;
        last = Optional.of(mark);
    }

    /** Makes the last written mark durable. */
    public void force() throws IOException {
        file.force();
        if (!isForced) {
            spare = 1 - spare;
            isForced = true;
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    private void load() throws IOException {
        Optional<Slot> even = read(0);
        Optional<Slot> odd = read(SLOT_DISTANCE);
        Optional<Slot> newer =
                even.isPresent() && (odd.isEmpty() || even.get().sequence > odd.get().sequence) ? even : odd;
        spare = newer.isPresent() && newer.equals(even) ? 1 : 0;
        if (newer.isPresent()) {
            sequence = newer.get().sequence;
            last = Optional.of(newer.get().mark);
        }
    }

    private Optional<Slot> read(long position) throws IOException {
        buffer.clear();
        int count = file.read(buffer, position);
        if (count < SLOT_BYTES || buffer.getLong(0) != MAGIC || buffer.getLong(CRC_AT) != checksum()) {
            return Optional.empty();
        }
        buffer.position(Long.BYTES);
        long slotSequence = buffer.getLong();
        long logId = buffer.getLong();
        long syncedTo = buffer.getLong();
        long generation = buffer.getLong();
        int epoch = (int) buffer.getLong();
        long storeTimestampMs = buffer.getLong();
        long bootId = buffer.getLong();
        long flags = buffer.getLong();
        long lostBytes = buffer.getLong();
        return Optional.of(new Slot(
                slotSequence,
                new Mark(
                        logId,
                        syncedTo,
                        generation,
                        epoch,
                        storeTimestampMs,
                        bootId,
                        (flags & CLEAN) != 0,
                        (flags & ASYNC) != 0,
                        (flags & CUTTING) != 0,
                        (flags & RECEIVED) != 0,
                        (flags & FOLLOWED) != 0,
                        (flags & ALONE) != 0,
                        lostBytes)));
    }

    private long checksum() {
        crc.reset();
        for (int i = 0; i < CRC_AT; i++) {
            crc.update(buffer.get(i));
        }
        return crc.getValue();
    }
}
