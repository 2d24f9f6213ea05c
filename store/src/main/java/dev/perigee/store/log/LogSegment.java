package dev.perigee.store.log;

import dev.perigee.loop.Opened;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One file of the log, always as long as a segment: what is not written yet is zero. Counts its borrowers; the file is
 * deleted after the owner and the last borrower let go.
 */
@ThreadSafe
final class LogSegment {
    private final Disk disk;
    private final long startOffset;
    private final int sizeBytes;
    private final DiskFile file;
    private final long foundBytes;
    private final AtomicInteger holders = new AtomicInteger(1);
    private volatile boolean nameDurable;
    private volatile @Nullable ByteBuffer map;
    private volatile @Nullable DiskFile readFile;
    /** The preparer's own: an error of the disk is reported once per open file, and must not be taken from the flusher. */
    private @Nullable DiskFile fillFile;

    private LogSegment(Disk disk, long startOffset, int sizeBytes, DiskFile file, long foundBytes) {
        this.disk = disk;
        this.startOffset = startOffset;
        this.sizeBytes = sizeBytes;
        this.file = file;
        this.foundBytes = foundBytes;
    }

    /** Creates the file at its full length; one that is there already is filled up to it. */
    static LogSegment create(Disk disk, String name, long startOffset, int sizeBytes) throws IOException {
        LogSegment made = open(disk, name, startOffset, sizeBytes);
        try (Opened opened = new Opened()) {
            opened.add(made::close);
            made.fillUp();
            opened.keep();
            return made;
        }
    }

    /** Opens the file as it is: one that is too short stays so until {@link #fillUp}, and is evidence of a loss. */
    static LogSegment open(Disk disk, String name, long startOffset, int sizeBytes) throws IOException {
        try (Opened opened = new Opened()) {
            DiskFile file = disk.open(name);
            opened.add(file);
            long size = file.size();
            if (size > sizeBytes) {
                throw new IOException(name + " has " + size + " bytes, more than the segment size " + sizeBytes
                        + ": what lies behind was not written by this log; restore the file from a copy, or cut it to "
                        + sizeBytes + " bytes");
            }
            opened.keep();
            return new LogSegment(disk, startOffset, sizeBytes, file, size);
        }
    }

    long startOffset() {
        return startOffset;
    }

    long endOffset() {
        return startOffset + sizeBytes;
    }

    /** Where the file ended when it was opened: behind, no byte of the log was ever on the disk, or it is lost. */
    long foundEnd() {
        return startOffset + foundBytes;
    }

    /** Gives a short file its full length, with zeros. Before anything is written behind its end or mapped. */
    void fillUp() throws IOException {
        if (foundBytes < sizeBytes) {
            file.resize(sizeBytes);
        }
    }

    String name() {
        return file.name();
    }

    void write(ByteBuffer source, long offset) throws IOException {
        file.write(source, offset - startOffset);
    }

    int read(ByteBuffer target, long offset) throws IOException {
        DiskFile reader = readFile;
        return (reader == null ? openReader() : reader).read(target, offset - startOffset);
    }

    void force() throws IOException {
        file.force();
    }

    /** Writes zeros and forces them. Preparer only. */
    void fill(long fromOffset, long toOffset) throws IOException {
        DiskFile filling = fillFile;
        if (filling == null) {
            filling = disk.open(file.name());
            fillFile = filling;
        }
        for (long at = fromOffset; at < toOffset; at += Zeros.BLOCK_BYTES) {
            ByteBuffer zeros = Zeros.block((int) Math.min(Zeros.BLOCK_BYTES, toOffset - at));
            filling.write(zeros, at - startOffset);
        }
    }

    /** Makes what {@link #fill} wrote durable. */
    void forceFilled() throws IOException {
        DiskFile filling = fillFile;
        if (filling != null) {
            filling.force();
        }
    }

    /** Writes over what is there and forces it, without the file that the log is written with. Preparer only. */
    void mend(ByteBuffer source, long offset) throws IOException {
        try (DiskFile mending = disk.open(file.name())) {
            mending.write(source, offset - startOffset);
            mending.force();
        }
    }

    boolean nameDurable() {
        return nameDurable;
    }

    void markNameDurable() {
        nameDurable = true;
    }

    /** Takes a hold, or answers false when the segment is on its way out. */
    boolean retain() {
        int now = holders.get();
        while (now > 0) {
            if (holders.compareAndSet(now, now + 1)) {
                return true;
            }
            now = holders.get();
        }
        return false;
    }

    /** Lets go; true when this was the last hold. */
    boolean release() {
        return holders.decrementAndGet() == 0;
    }

    boolean abandoned() {
        return holders.get() == 0;
    }

    /** A read-only view of the range. Only while held. */
    ByteBuffer slice(long offset, int length) {
        ByteBuffer mapped = map;
        return (mapped == null ? mapWhole() : mapped).slice((int) (offset - startOffset), length);
    }

    void close() throws IOException {
        DiskFile reader = readFile;
        if (reader != null) {
            reader.close();
        }
        DiskFile filling = fillFile;
        if (filling != null) {
            filling.close();
        }
        file.close();
    }

    void delete() throws IOException {
        close();
        disk.delete(file.name());
    }

    // Guards the one mapping: several event loops may want it first at the same moment, and a map of 1 GiB is not free.
    private synchronized ByteBuffer mapWhole() {
        ByteBuffer mapped = map;
        if (mapped == null) {
            try {
                mapped = file.map(0, sizeBytes);
            } catch (IOException e) {
                throw new java.io.UncheckedIOException("cannot map " + file.name(), e);
            }
            map = mapped;
        }
        return mapped;
    }

    // Guards the one opening, as above. A separate file: an interrupted reader closes it, and must not close the
    // writer's.
    private synchronized DiskFile openReader() throws IOException {
        DiskFile reader = readFile;
        if (reader == null) {
            reader = disk.openRead(file.name());
            readFile = reader;
        }
        return reader;
    }
}
