package dev.perigee.store.log;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.disk.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Makes segments durable, with the names of their files. A force that failed may have dropped pages which the next one does
 * not know of, so that after a failure nothing is durable any more.
 */
@ThreadSafe
final class LogDurability {
    private final Disk disk;
    private volatile @Nullable IOException lostPages;

    LogDurability(Disk disk) {
        this.disk = disk;
    }

    /**
     * Makes a range durable. Blocks.
     *
     * @param segments all of the log
     */
    void force(LogSegment[] segments, long fromOffset, long toOffset) throws IOException {
        IOException lost = lostPages;
        if (lost != null) {
            throw new IOException("a force of the log by the preparer failed", lost);
        }
        boolean syncNames = false;
        for (LogSegment segment : segments) {
            if (segment.endOffset() > fromOffset && segment.startOffset() < toOffset && segment.retain()) {
                try {
                    segment.force();
                    syncNames |= !segment.nameDurable();
                } finally {
                    segment.release();
                }
            }
        }
        if (syncNames) {
            disk.syncFolder(LogStorage.FOLDER);
            for (LogSegment segment : segments) {
                segment.markNameDurable();
            }
        }
    }

    /**
     * Writes over bytes of a segment, durably. Blocks. No later {@link #force} can be trusted when it fails on the one that is being written:
     * what it lost of that nobody knows. An older one is durable but for what is damaged.
     */
    void mend(LogSegment segment, boolean isTail, ByteBuffer source, long offset) throws IOException {
        try {
            segment.mend(source, offset);
        } catch (IOException e) {
            lostPages = isTail ? e : lostPages;
            throw e;
        }
    }

    /** Makes what was filled ahead in a segment durable. Blocks. No later {@link #force} can be trusted when it fails. */
    void settle(LogSegment segment) throws IOException {
        try {
            segment.forceFilled();
        } catch (IOException e) {
            lostPages = e;
            throw e;
        }
        if (!segment.nameDurable()) {
            disk.syncFolder(LogStorage.FOLDER);
            segment.markNameDurable();
        }
    }
}
