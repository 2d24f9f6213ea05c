package dev.perigee.store.retention;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.PacedTask;
import dev.perigee.store.log.SegmentRange;
import dev.perigee.store.view.LogFrames;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds out how far the log has expired. Asks the disk and reads segments that are days old, so it runs on the preparer;
 * the view loop looks for the outcome later.
 */
@OwnedBy("preparer")
final class Survey implements PacedTask {
    /** How it stands. */
    enum Outcome {
        RUNNING,
        /** Nothing was to be looked for: no deletion hour, and enough space. */
        NOT_DUE,
        FOUND,
        FAILED
    }

    private final CommitLog log;
    private final Disk disk;
    private final boolean due;
    private final int urgentUsedPercent;
    private final long oldestKeptMs;
    private long expiredBelow;
    private @Nullable Exception failure;
    private volatile Outcome outcome = Outcome.RUNNING;

    /** @param due whether segments may go however much space there is */
    Survey(CommitLog log, Disk disk, boolean due, int urgentUsedPercent, long oldestKeptMs) {
        this.log = log;
        this.disk = disk;
        this.due = due;
        this.urgentUsedPercent = urgentUsedPercent;
        this.oldestKeptMs = oldestKeptMs;
    }

    @Override
    public boolean step() {
        try {
            if (!due && !isUrgent()) {
                outcome = Outcome.NOT_DUE;
                return false;
            }
            expiredBelow = expired();
            outcome = Outcome.FOUND;
        } catch (IOException | RuntimeException e) {
            failure = e;
            outcome = Outcome.FAILED;
        }
        return false;
    }

    Outcome outcome() {
        return outcome;
    }

    /** When FOUND: the start of the first segment that must stay. Never behind the last segment. */
    long expiredBelow() {
        return expiredBelow;
    }

    /** When FAILED: why. */
    @Nullable
    Exception failure() {
        return failure;
    }

    private boolean isUrgent() throws IOException {
        long total = disk.totalBytes();
        return (total - disk.freeBytes()) * 100 >= total * urgentUsedPercent;
    }

    private long expired() throws IOException {
        LogFrames frames = new LogFrames(log);
        List<SegmentRange> segments = log.segments();
        long below = log.startOffset();
        for (int i = 1; i < segments.size(); i++) {
            long next = segments.get(i).startOffset();
            long newestBeforeMs = frames.readStoreTimestampMs(next);
            if (newestBeforeMs == LogFrames.GONE || newestBeforeMs >= oldestKeptMs) {
                break;
            }
            below = next;
        }
        return below;
    }
}
