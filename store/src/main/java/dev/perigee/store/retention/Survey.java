package dev.perigee.store.retention;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.PacedTask;
import dev.perigee.store.log.SegmentRange;
import dev.perigee.store.view.LogFrames;
import java.io.IOException;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds out how far the log has expired, and what the views will have to know when it is trimmed there. Asks the disk and
 * reads what is days old, so it runs on the preparer; the view loop looks for the outcome later.
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

    /**
     * What is looked for.
     *
     * @param due whether segments may go however much space there is
     * @param urgentUsedPercent share of the disk in use from which they may go anyway
     * @param oldestKeptMs log time before which a segment has expired
     */
    record Rule(boolean due, int urgentUsedPercent, long oldestKeptMs) {}

    private final CommitLog log;
    private final Disk disk;
    private final Rule rule;
    private final LongFunction<PacedTask> lookAhead;
    private @Nullable PacedTask looking;
    private long expiredBelow;
    private @Nullable Exception failure;
    private volatile Outcome outcome = Outcome.RUNNING;

    /** {@code lookAhead} makes the task of all views for a log that begins at an offset. */
    Survey(CommitLog log, Disk disk, Rule rule, LongFunction<PacedTask> lookAhead) {
        this.log = log;
        this.disk = disk;
        this.rule = rule;
        this.lookAhead = lookAhead;
    }

    @Override
    public boolean step() {
        try {
            PacedTask next = looking;
            if (next == null) {
                if (!rule.due() && !isUrgent()) {
                    outcome = Outcome.NOT_DUE;
                    return false;
                }
                expiredBelow = expired();
                next = expiredBelow > log.startOffset() ? lookAhead.apply(expiredBelow) : () -> false;
                looking = next;
            }
            if (next.step()) {
                return true;
            }
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
        return (total - disk.freeBytes()) * 100 >= total * rule.urgentUsedPercent();
    }

    private long expired() throws IOException {
        LogFrames frames = new LogFrames(log);
        List<SegmentRange> segments = log.segments();
        long below = log.startOffset();
        for (int i = 1; i < segments.size(); i++) {
            long next = segments.get(i).startOffset();
            long newestBeforeMs = frames.readStoreTimestampMs(next);
            if (newestBeforeMs == LogFrames.GONE || newestBeforeMs >= rule.oldestKeptMs()) {
                break;
            }
            below = next;
        }
        return below;
    }
}
