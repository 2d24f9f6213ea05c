package dev.perigee.store.log;

import dev.perigee.loop.Opened;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.disk.Ballast;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.ForceFailedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files of the log. Writing and rolling belong to the log loop, forcing to the flusher, filling ahead, trimming and
 * deleting to the preparer; finding a segment is free for all.
 */
@ThreadSafe
public final class LogStorage implements LogBytes {
    /** The folder of the log's files, beside which marks and node files lie. */
    public static final String FOLDER = "commitlog";

    private final Disk disk;
    private final Filler filler;
    private final Ballast ballast;
    private final TrimmedSegments trimmed;
    private final LogDurability durability;
    // Guards every change of the table and of the next segment: rolling (log loop) and trimming (preparer) are rare and
    // must not undo each other. Readers use the volatile snapshot.
    private final Object tableLock = new Object();
    private volatile LogSegment[] table;
    /** Changes only while there is no file. */
    private volatile int segmentSizeBytes;
    /** Where an empty log begins. */
    private volatile long base;

    private @Nullable LogSegment next;

    private LogStorage(Disk disk, int segmentSizeBytes, LogSegment[] table, int fillAheadBytes, Ballast ballast) {
        this.disk = disk;
        this.segmentSizeBytes = segmentSizeBytes;
        this.table = table;
        this.filler = new Filler(this, fillAheadBytes);
        this.ballast = ballast;
        this.trimmed = new TrimmedSegments(disk);
        this.durability = new LogDurability(disk);
    }

    /**
     * Opens all files of the log, none at all for a new one. Alters nothing: who has made sure that no file is shorter than
     * it must be ({@link #presentTo}) calls {@link #fillUp}.
     *
     * @param segmentSizeBytes the size of every file
     * @param fillAheadBytes how far ahead of the tail blocks are written with zeros; 0 for not at all
     * @throws IOException also when the files do not follow each other
     */
    public static LogStorage open(Disk disk, int segmentSizeBytes, int fillAheadBytes) throws IOException {
        disk.makeFolder(FOLDER);
        disk.syncFolder("");
        List<LogSegment> segments = new ArrayList<>();
        try (Opened opened = new Opened()) {
            for (String name : LogNames.of(disk, FOLDER)) {
                long start = Long.parseLong(name);
                LogSegment before = segments.isEmpty() ? null : segments.get(segments.size() - 1);
                if (start % segmentSizeBytes != 0 || (before != null && before.endOffset() != start)) {
                    throw new IOException(misplaced(name, before, segmentSizeBytes));
                }
                LogSegment segment = LogSegment.open(disk, FOLDER + "/" + name, start, segmentSizeBytes);
                opened.add(segment::close);
                segments.add(segment);
            }
            opened.keep();
        }
        return new LogStorage(
                disk,
                segmentSizeBytes,
                segments.toArray(LogSegment[]::new),
                fillAheadBytes,
                Ballast.open(disk, segmentSizeBytes));
    }

    private static String misplaced(String name, @Nullable LogSegment before, int segmentSizeBytes) {
        return before == null
                ? "log file " + name + " does not follow from the segment size " + segmentSizeBytes
                : "log file " + name + " does not follow " + before.name() + ", which ends at offset "
                        + before.endOffset()
                        + ": files are missing in between. Restore them from a copy; or, to give up "
                        + "everything from there on, move " + name
                        + " and all later files away: the next start then says "
                        + "how to go on";
    }

    /**
     * How much of the log up to an offset is in the files as they were found.
     *
     * @return the offset, or the smaller one at which a file ends too early, or the last file ends
     */
    public long presentTo(long offset) {
        for (LogSegment segment : table) {
            if (segment.foundEnd() < Math.min(offset, segment.endOffset())) {
                return segment.foundEnd();
            }
        }
        return Math.min(offset, roomEnd());
    }

    /** Gives every file its full length. Before anything is written or mapped. */
    public void fillUp() throws IOException {
        for (LogSegment segment : table) {
            segment.fillUp();
        }
    }

    @Override
    public int segmentSizeBytes() {
        return segmentSizeBytes;
    }

    /** The start of the oldest file, or of the first to come. */
    @Override
    public long startOffset() {
        LogSegment[] now = table;
        return now.length == 0 ? base : now[0].startOffset();
    }

    /** The byte after the last place a file has room for. */
    @Override
    public long roomEnd() {
        LogSegment[] now = table;
        return now.length == 0 ? base : now[now.length - 1].endOffset();
    }

    /** All files, oldest first. */
    public List<SegmentRange> ranges() {
        return Arrays.stream(table)
                .map(segment -> new SegmentRange(segment.startOffset(), segment.endOffset()))
                .toList();
    }

    /** The segment that holds an offset, with a hold taken on it; null when there is none. */
    @Nullable
    LogSegment hold(long offset) {
        LogSegment segment = find(offset);
        return segment != null && segment.retain() ? segment : null;
    }

    private @Nullable LogSegment find(long offset) {
        LogSegment[] now = table;
        if (now.length == 0 || offset < now[0].startOffset()) {
            return null;
        }
        long index = (offset - now[0].startOffset()) / segmentSizeBytes;
        return index < now.length ? now[(int) index] : null;
    }

    /**
     * Writes bytes at the tail; on a full disk by giving up the ballast. The range must lie in the last segment. Log loop
     * only.
     */
    public void write(ByteBuffer source, long offset) throws IOException {
        LogSegment[] now = table;
        LogSegment tail = now[now.length - 1];
        long end = offset + source.remaining();
        if (offset < tail.startOffset() || end > tail.endOffset()) {
            throw new IllegalArgumentException(
                    "range " + offset + ".." + end + " is not in the last segment " + tail.name());
        }
        filler.beforeWrite(end);
        int from = source.position();
        try {
            tail.write(source, offset);
        } catch (IOException e) {
            if (!ballast.giveUp(e)) {
                throw e;
            }
            tail.write(source.position(from), offset);
        }
    }

    /** Reads bytes of any written range of one segment, confirmed or not. */
    @Override
    public int read(long offset, ByteBuffer target) throws IOException {
        LogSegment segment = hold(offset);
        if (segment == null) {
            return 0;
        }
        try {
            return segment.read(target, offset);
        } finally {
            segment.release();
        }
    }

    /** Makes the segment at {@link #roomEnd()} the last one, the prepared one if there is. Log loop only. */
    public void roll() throws IOException {
        synchronized (tableLock) {
            LogSegment fresh = nextSegmentForSure();
            LogSegment[] grown = Arrays.copyOf(table, table.length + 1);
            grown[table.length] = fresh;
            table = grown;
            next = null;
        }
    }

    private LogSegment nextSegmentForSure() throws IOException {
        try {
            return nextSegment();
        } catch (IOException e) {
            if (e instanceof ForceFailedException || !ballast.giveUp(e)) {
                throw e;
            }
            return nextSegment();
        }
    }

    /** Creates the segment after the last one without making it part of the log. Preparer only. */
    LogSegment prepareNext() throws IOException {
        synchronized (tableLock) {
            return nextSegment();
        }
    }

    private LogSegment nextSegment() throws IOException {
        LogSegment ready = next;
        if (ready == null) {
            LogSegment last = tail();
            if (last != null && !last.nameDurable()) {
                disk.syncFolder(FOLDER); // a file must not outlive a power loss that its forerunner does not
                last.markNameDurable();
            }
            long start = roomEnd();
            ready = LogSegment.create(disk, LogNames.fileName(start), start, segmentSizeBytes);
            next = ready;
        }
        return ready;
    }

    /** The last segment; null for an empty log. */
    @Nullable
    LogSegment tail() {
        LogSegment[] now = table;
        return now.length == 0 ? null : now[now.length - 1];
    }

    /** Makes a range durable, with the names of its files. Blocks. A failure is final. */
    public void force(long fromOffset, long toOffset) throws IOException {
        durability.force(table, fromOffset, toOffset);
    }

    /** Makes what was filled and the segment's name durable, see {@link LogDurability#settle}. Preparer only. */
    void settle(LogSegment segment) throws IOException {
        durability.settle(segment);
    }

    /**
     * Writes over bytes that are damaged, in one segment and before the log's end, durably (R28). Blocks. Preparer only.
     *
     * @return whether they are stored still
     */
    public boolean mend(ByteBuffer source, long offset) throws IOException {
        LogSegment segment = hold(offset);
        if (segment == null) {
            return false;
        }
        try {
            durability.mend(segment, segment.equals(tail()), source, offset);
        } finally {
            segment.release();
        }
        return true;
    }

    /** What is given up when the disk is full. */
    public Ballast ballast() {
        return ballast;
    }

    /** The fill-ahead of the tail. */
    public Filler filler() {
        return filler;
    }

    /**
     * Takes whole segments below an offset out of the log, never the last one; files on lease are deleted later.
     *
     * @return the new start offset
     */
    public long trimTo(long offset) throws IOException {
        synchronized (tableLock) {
            int drop = 0;
            while (drop < table.length - 1 && table[drop].endOffset() <= offset) {
                drop++;
            }
            for (int i = 0; i < drop; i++) {
                trimmed.add(table[i]);
            }
            LogSegment[] old = table;
            table = Arrays.copyOfRange(old, drop, old.length);
            for (int i = 0; i < drop; i++) {
                old[i].release();
            }
        }
        deleteTrimmed();
        return startOffset();
    }

    /** Deletes trimmed files nobody borrows any more; gives how many still wait for their borrowers. */
    public int deleteTrimmed() throws IOException {
        return trimmed.deleteFree();
    }

    /**
     * Finds how far anything is written behind an offset, by looking for zeros. Reading a hole costs as much as reading
     * data, so a stretch of zeros ends the search.
     *
     * @param patienceBytes the stretch of zeros that ends it; {@link Long#MAX_VALUE} to look at everything
     * @return an offset behind the last byte found that is not zero, or the one given when there is none
     */
    public long writtenEnd(long offset, long patienceBytes) throws IOException {
        ByteBuffer scratch = ByteBuffer.allocateDirect(Zeros.BLOCK_BYTES);
        long end = offset;
        long at = offset;
        while (at < roomEnd() && at - end < patienceBytes) {
            LogSegment segment = find(at);
            if (segment == null) {
                break;
            }
            long next = Math.min(segment.endOffset(), at + Zeros.BLOCK_BYTES);
            end = Zeros.isZero(segment, at, next, scratch) ? end : next;
            at = next;
        }
        return end;
    }

    /**
     * Cuts the log, durably before this returns (R3): what is written behind is zeroed in place, later files are removed, file
     * and folder are synced, and a prepared file that does not fit any more is gone. Before anything runs, or on the flusher
     * while the log loop writes nothing; nothing that was cut is read any more. Blocks.
     *
     * @param writtenEnd nothing but zeros lies from here on, see {@link #writtenEnd}
     * @return how many bytes were not zero and are gone
     */
    public long cutTo(long offset, long writtenEnd) throws IOException {
        filler.hold();
        try {
            long lost = cutFiles(offset, writtenEnd);
            filler.startAt(offset);
            return lost;
        } finally {
            filler.goOn();
        }
    }

    private long cutFiles(long offset, long writtenEnd) throws IOException {
        long lost = 0;
        synchronized (tableLock) {
            int kept = table.length;
            if (kept > 0 && table[kept - 1].startOffset() >= offset) {
                dropNext();
            }
            while (kept > 0 && table[kept - 1].startOffset() >= offset) {
                kept--;
                long end = Math.min(table[kept].endOffset(), writtenEnd);
                lost += Zeros.countOther(table[kept], table[kept].startOffset(), end);
                table[kept].delete();
                disk.syncFolder(FOLDER); // last first and one by one, or a power loss could leave a gap
            }
            base = kept == 0 ? offset : base;
            table = Arrays.copyOf(table, kept);
            LogSegment last = tail();
            if (last != null) {
                last.fillUp();
            }
            if (last != null && Math.min(last.endOffset(), writtenEnd) > offset) {
                lost += Zeros.zero(last, offset, Math.min(last.endOffset(), writtenEnd));
                last.force();
            }
        }
        disk.syncFolder(FOLDER);
        return lost;
    }

    /** Removes the prepared file, durably. Under the table lock. */
    private void dropNext() throws IOException {
        LogSegment prepared = next;
        if (prepared != null) {
            next = null;
            prepared.delete();
            disk.syncFolder(FOLDER);
        }
    }

    /**
     * Makes this log, which has no file yet, begin at an offset with files of a size: those of the log it is to receive (R30).
     * Blocks for a moment when a file was prepared for another size. Log loop only.
     */
    public void adopt(long startOffset, int sizeBytes) throws IOException {
        filler.hold();
        try {
            synchronized (tableLock) {
                if (table.length > 0) {
                    throw new IllegalStateException(
                            "a log with files from offset " + startOffset() + " cannot begin at " + startOffset);
                }
                if (sizeBytes != segmentSizeBytes || startOffset != base) {
                    dropNext();
                }
                segmentSizeBytes = sizeBytes;
                base = startOffset;
            }
            filler.startAt(startOffset);
        } finally {
            filler.goOn();
        }
    }

    /**
     * Says where the log ends, after recovery and before anything runs: a file behind it becomes the prepared one when it
     * begins right there, others are deleted.
     */
    public void endAt(long endOffset) throws IOException {
        synchronized (tableLock) {
            int kept = 0;
            while (kept < table.length && table[kept].startOffset() < endOffset) {
                kept++;
            }
            for (int i = table.length - 1; i > kept; i--) {
                table[i].delete();
                disk.syncFolder(FOLDER);
            }
            next = kept < table.length ? table[kept] : null;
            table = Arrays.copyOf(table, kept);
            base = next == null ? base : next.startOffset();
        }
        filler.startAt(endOffset);
    }

    /** Writes a range over itself, so that it reaches the disk although its pages may look clean (R8). */
    public void rewrite(long fromOffset, long toOffset) throws IOException {
        ByteBuffer block = ByteBuffer.allocateDirect(Zeros.BLOCK_BYTES);
        long at = fromOffset;
        while (at < toOffset) {
            LogSegment segment = find(at);
            if (segment == null) {
                throw new IOException("no log file holds offset " + at);
            }
            block.clear().limit((int) Math.min(block.capacity(), Math.min(toOffset, segment.endOffset()) - at));
            segment.read(block, at);
            segment.write(block.flip(), at);
            at += block.limit();
        }
    }

    /** Closes all files; maps on lease stay readable. */
    public void close() throws IOException {
        synchronized (tableLock) {
            for (LogSegment segment : table) {
                segment.close();
            }
            if (next != null) {
                next.close();
                next = null;
            }
        }
    }
}
