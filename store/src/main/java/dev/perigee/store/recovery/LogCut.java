package dev.perigee.store.recovery;

import dev.perigee.loop.Immutable;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskLock;
import dev.perigee.store.epoch.EpochFile;
import dev.perigee.store.log.LogStorage;
import dev.perigee.store.log.SyncedToMark;
import dev.perigee.store.log.SyncedToMark.Mark;
import dev.perigee.store.tail.HeadFacts;
import dev.perigee.store.view.CheckpointFile;
import java.io.IOException;

/**
 * Gives up the end of a log for good: what {@code perigee log cut --accept-loss} does after recovery refused to. The store
 * must be stopped.
 *
 * @param offset where the log ends now
 * @param lostBytes bytes behind that were not zero
 */
@Immutable
public record LogCut(long offset, long lostBytes) {
    /** The file that is locked while a store is open. */
    public static final String LOCK_FILE = "lock";

    /**
     * Cuts, durably.
     *
     * @param offset the start of a frame; what begins there and later is lost
     * @param segmentSizeBytes the size of the files where neither the log's head nor their names tell it
     * @throws IOException also when the store is open, or the offset is not in the log
     */
    public static LogCut run(Disk disk, long offset, int segmentSizeBytes) throws IOException {
        DiskLock lock = disk.lock(LOCK_FILE);
        try {
            LogStorage storage =
                    LogStorage.open(disk, HeadFacts.read(disk, segmentSizeBytes).segmentSizeBytes(), 0);
            try (SyncedToMark mark = SyncedToMark.open(disk)) {
                if (offset < storage.startOffset() || offset > storage.roomEnd()) {
                    throw new IOException("offset " + offset + " is not in the log, which goes from "
                            + storage.startOffset() + " to at most " + storage.roomEnd());
                }
                if (storage.presentTo(offset) < offset) {
                    throw new IOException("offset " + offset + " lies behind a hole in the log: a file ends at offset "
                            + storage.presentTo(offset) + "; nothing behind that can be kept");
                }
                EpochFile.delete(disk);
                CheckpointFile.deleteAll(disk); // one may cover what goes, and would look right once the log grew again
                long writtenEnd = storage.writtenEnd(offset, Long.MAX_VALUE);
                Mark last = mark.last().orElse(new Mark(0, 0, 0, 0, 0, 0, false, false, false, false, false, false, 0));
                long lostBytes = last.lostBytes() + writtenEnd - offset;
                // before anything goes: a crash in between must not forget that something is lost, nor leave half of it
                boolean empty = offset == storage.startOffset();
                mark.write(marked(last, offset, empty, lostBytes, true));
                mark.force();
                long lost = storage.cutTo(offset, writtenEnd);
                mark.write(marked(last, offset, empty, lostBytes, false));
                mark.force();
                return new LogCut(offset, lost);
            } finally {
                storage.close();
            }
        } finally {
            lock.close();
        }
    }

    /** Keeps what the next start needs to see that the machine went down with an unflushed tail as well. */
    private static Mark marked(Mark last, long offset, boolean empty, long lostBytes, boolean cutting) {
        boolean tailAtRisk = last.async() && !last.clean();
        return new Mark(
                last.logId(),
                offset,
                last.generation() + 1,
                empty ? Mark.NO_EPOCH : Mark.UNKNOWN_EPOCH,
                last.storeTimestampMs(),
                last.bootId(),
                false,
                tailAtRisk,
                cutting,
                last.received(),
                last.followed(),
                last.alone(),
                lostBytes);
    }
}
