package dev.perigee.store.recovery;

import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.disk.DiskLock;
import dev.perigee.store.frame.FrameLayout;
import dev.perigee.store.frame.FrameVerifier;
import dev.perigee.store.frame.FrameVerifier.Verdict;
import dev.perigee.store.log.LogNames;
import dev.perigee.store.log.LogStorage;
import dev.perigee.store.tail.HeadFacts;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Writes what another node holds over damaged bytes of a log (R28). The store must be stopped, and whether it is sound then, recovery
 * says; or it is open, and what is written lies below its confirm offset.
 */
public final class LogPatch {
    private LogPatch() {}

    /**
     * Writes the whole, sound units among some bytes to their place, durably; what does not belong there is not written.
     *
     * <p>A file that was cut short gets no longer than what is written: what it still lacks is found by the next start, and only by that.
     *
     * @param offset where the first unit belongs
     * @param units position to limit; a blank is its head alone, and the last
     * @param limitOffset nothing at or behind it is touched
     * @param segmentSizeBytes the size of the files where neither the log's head nor their names tell it
     * @return the byte after the last one written (exclusive); the offset when there is nothing to write
     * @throws IOException also when the store is open, or the offset is not in the log
     */
    public static long run(Disk disk, long offset, ByteBuffer units, long limitOffset, int segmentSizeBytes)
            throws IOException {
        DiskLock lock = disk.lock(LogCut.LOCK_FILE);
        try {
            LogStorage storage =
                    LogStorage.open(disk, HeadFacts.read(disk, segmentSizeBytes).segmentSizeBytes(), 0);
            int size = storage.segmentSizeBytes();
            try {
                if (offset < storage.startOffset() || offset >= storage.roomEnd()) {
                    throw new IOException("offset " + offset + " is not in the log, which goes from "
                            + storage.startOffset() + " to at most " + storage.roomEnd());
                }
            } finally {
                storage.close();
            }
            return write(disk, offset, units.slice(), limitOffset, size);
        } finally {
            lock.close();
        }
    }

    /**
     * The same in a log that is open, as one step of the preparer: its writer writes elsewhere, its readers were told of the damage.
     *
     * @param epoch of the unit that belongs there; of another one nothing is written
     * @param limitOffset nothing at or behind it is touched; not above the confirm offset
     * @return as above
     */
    public static long inPlace(LogStorage storage, long offset, ByteBuffer units, int epoch, long limitOffset)
            throws IOException {
        int size = storage.segmentSizeBytes();
        long segmentEnd = offset - offset % size + size;
        ByteBuffer bytes = units.slice();
        long end = soundEnd(offset, bytes, Math.min(limitOffset, segmentEnd), segmentEnd);
        FrameVerifier first = new FrameVerifier();
        boolean belongs = end > offset
                && (first.check(bytes, 0, (int) (segmentEnd - offset), offset) == Verdict.BLANK
                        || first.epoch() == epoch);
        return belongs && storage.mend(bytes.slice(0, (int) Math.min(bytes.limit(), end - offset)), offset)
                ? end
                : offset;
    }

    private static long write(Disk disk, long offset, ByteBuffer units, long limitOffset, int segmentSize)
            throws IOException {
        long segmentStart = offset - offset % segmentSize;
        long segmentEnd = segmentStart + segmentSize;
        long end = soundEnd(offset, units, Math.min(limitOffset, segmentEnd), segmentEnd);
        if (end == offset) {
            return offset;
        }
        try (DiskFile file = disk.open(LogNames.fileName(segmentStart))) {
            file.write(units.slice(0, (int) Math.min(units.limit(), end - offset)), offset - segmentStart);
            if (end == segmentEnd) {
                file.resize(segmentSize); // behind a blank
            }
            file.force();
        }
        return end;
    }

    /** Where the last whole unit ends that is sound, belongs there and lies below the limit. */
    private static long soundEnd(long offset, ByteBuffer units, long limit, long segmentEnd) {
        FrameVerifier verifier = new FrameVerifier();
        long unitEnd = offset;
        long at = offset;
        boolean inUnit = false;
        while (at < limit && units.limit() - (at - offset) >= FrameLayout.HEAD_BYTES) {
            int position = (int) (at - offset);
            int available = (int) (segmentEnd - at);
            boolean isCutShort = FrameVerifier.isPlausible(units, position, available)
                    && units.getInt(position) > units.limit() - position;
            Verdict verdict = isCutShort ? Verdict.NO_FRAME : verifier.check(units, position, available, at);
            boolean isBlank = verdict == Verdict.BLANK && !inUnit;
            if (!isBlank && verdict != Verdict.FRAME) {
                break;
            }
            at += verifier.sizeBytes();
            inUnit = !isBlank && verifier.unitContinues();
            if (!inUnit && at <= limit) {
                unitEnd = at;
            }
        }
        return unitEnd;
    }
}
