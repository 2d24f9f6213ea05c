package dev.perigee.broker.offset;

import dev.perigee.broker.view.OffsetView;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.store.Store;
import dev.perigee.store.log.PacedTask;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a broker that is no slave any more log what consumers committed to it as one, and then removes the file {@link KeptOffsets}. Where the log or
 * the disk refuses, it tries again every {@link #AGAIN_MS}: the next start would take the file over once more, and undo what a tool had reset
 * meanwhile.
 */
@OwnedBy("view loop")
public final class KeptTakeOver implements Duty {
    /** Between two attempts to remove the file. */
    static final long AGAIN_MS = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(KeptTakeOver.class);

    private final KeptOffsets file;
    private final List<QueueCommit> unlogged;
    private final PendingCommits pending;
    private final Predicate<PacedTask> background;
    private volatile boolean removing;
    private volatile boolean gone;
    private volatile boolean refusedBefore;
    private long dueMs = Long.MIN_VALUE;

    /** Of entries that were committed here. */
    KeptTakeOver(KeptOffsets file, List<QueueCommit> entries, PendingCommits pending, Predicate<PacedTask> background) {
        this.file = file;
        this.unlogged = new ArrayList<>(entries);
        this.pending = pending;
        this.background = background;
    }

    /**
     * Commits what the file says, but for queues that were reset after it was written. Blocks while the file is read; before clients are served,
     * when the views show all that was found.
     *
     * @param view knows the resets in what was found
     * @return what removes the file when its offsets are logged
     * @throws IOException when the folder cannot be read
     */
    public static KeptTakeOver begin(KeptOffsets file, OffsetCommits commits, OffsetView view, Store store)
            throws IOException {
        List<QueueCommit> entries = file.ofLog(store.log()).without(view.replayedResets());
        entries.forEach(each -> commits.raise(each.group(), each.topic(), each.queueId(), each.offset()));
        LOG.info("event=kept_offsets_taken_over entries={}", entries.size());
        KeptTakeOver made = new KeptTakeOver(file, entries, commits.pending(), store::background);
        commits.flushAnyhow(() -> made.dueMs = Long.MIN_VALUE);
        return made;
    }

    @Override
    public int doWork(long nowMs) {
        if (gone || nowMs < dueMs) {
            return 0;
        }
        dueMs = nowMs + AGAIN_MS;
        unlogged.removeIf(this::isLogged);
        if (removing || !unlogged.isEmpty()) {
            return 0;
        }
        removing = true;
        if (!background.test(this::remove)) {
            removing = false;
        }
        return 1;
    }

    /** Whether the log has it or a larger one, or what counts instead. */
    private boolean isLogged(QueueCommit kept) {
        return pending.applied(kept.group(), kept.topic(), kept.queueId()) >= kept.offset()
                || !pending.contains(kept.group(), kept.topic(), kept.queueId());
    }

    private boolean remove() { // on the preparer
        try {
            file.remove();
            gone = true;
        } catch (IOException e) {
            if (!refusedBefore) {
                LOG.warn(
                        "event=kept_offsets_stay file={} effect=\"removed as soon as the disk lets it\"",
                        KeptOffsets.FILE,
                        e);
            }
            refusedBefore = true;
        } finally {
            removing = false;
        }
        return false;
    }

    @Override
    public long nextDeadlineMs() {
        return gone ? Long.MAX_VALUE : dueMs;
    }
}
