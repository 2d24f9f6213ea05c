package dev.perigee.broker.offset;

import dev.perigee.broker.offset.KeptOffsets.Kept;
import dev.perigee.broker.view.OffsetView;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.PacedTask;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * On a slave: hands what consumers committed here up to the master, which logs it by maximum (R27), at once when the master is heard
 * again and every {@link #PERIOD_MS}. An offset is kept here, and answered to whoever asks, until the log that comes from the master
 * has it or a larger one, or says that it was reset. Meanwhile all are kept in a file too; how many is bounded by {@link
 * PendingCommits#MAX}.
 */
@OwnedBy("view loop")
public final class OffsetsUpstream implements Duty, OffsetView.Listener {
    /** Between two looks. */
    static final long PERIOD_MS = 500;

    /** What was handed up and is not in the log after this time is handed up again. */
    static final long AGAIN_MS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(OffsetsUpstream.class);

    /**
     * What it works with.
     *
     * @param mayHandUp whether the master takes something, and the views here show what became of queues and groups meanwhile
     * @param passUp hands some to the master; completed with whether it has logged them
     * @param file where they are kept
     * @param log whose queues they are of
     * @param applied how far the views show it
     * @param background takes a task to the preparer; false when too many wait
     * @param wake makes the view loop run soon
     */
    public record Parts(
            BooleanSupplier mayHandUp,
            Function<List<QueueCommit>, CompletableFuture<Boolean>> passUp,
            KeptOffsets file,
            CommitLog log,
            LongSupplier applied,
            Predicate<PacedTask> background,
            Runnable wake) {}

    private final PendingCommits pending;
    private final KeptWaiters waiters;
    private final Parts parts;
    private long dueMs = Long.MIN_VALUE;
    private long againMs = Long.MAX_VALUE;
    private boolean heardBefore;
    private boolean again; // a master that was not heard may have logged nothing of what is under way
    private volatile long keptChanges;
    private volatile boolean keeping;
    private volatile boolean underWay;
    private volatile boolean answered;
    private volatile boolean refused;

    /** Takes what {@code commits} has not got from the log. */
    public OffsetsUpstream(OffsetCommits commits, Parts parts) {
        this.pending = commits.pending();
        this.waiters = commits.keptWaiters();
        this.parts = parts;
        waiters.onAsk(parts.wake());
        this.keptChanges = pending.changes();
    }

    @Override
    public boolean runsEverywhere() {
        return true;
    }

    @Override
    public int doWork(long nowMs) {
        if (waiters.isWaiting()) {
            waiters.run(pending::isKept);
            keep();
        }
        boolean heard = parts.mayHandUp().getAsBoolean();
        if (nowMs < dueMs && !answered && heard == heardBefore) {
            return 0;
        }
        dueMs = nowMs + PERIOD_MS;
        answered = false;
        int left = pending.dropApplied();
        keep();
        boolean isNew = heard && !heardBefore;
        heardBefore = heard;
        if (isNew && left == 0 && !underWay) {
            handUp(List.of()); // a master that starts waits for the word that there is nothing
            return 1;
        }
        if (!heard || left == 0 || underWay) {
            again |= isNew;
            return 0;
        }
        if (isNew
                || again
                || refused
                || nowMs >= againMs) { // a master that was not heard may have logged nothing of it
            pending.allNotAppended();
            againMs = nowMs + AGAIN_MS;
            refused = false;
            again = false;
        }
        return handUp(nowMs);
    }

    /** Whether there is nothing that the master lacks. Any thread. */
    public boolean isDone() {
        return pending.isEmpty();
    }

    /** Keeps what is left, before the broker ends. Blocks; the loops run no more, or the file is left as it is. */
    public void keepLast() {
        write();
    }

    private void keep() {
        if (pending.changes() != keptChanges && !keeping) {
            keeping = true;
            if (!parts.background().test(this::write)) {
                keeping = false; // at the next look
            }
        }
    }

    private synchronized boolean write() { // guards the file: the last of it may come while the preparer writes
        boolean written = false;
        long changes = pending.changes();
        long applied = parts.applied().getAsLong(); // first: what is reset meanwhile lies behind it
        Map<GroupQueue, PendingCommits.Pending> all = pending.snapshot();
        try {
            List<QueueCommit> entries = new ArrayList<>();
            all.forEach((key, commit) ->
                    entries.add(new QueueCommit(key.group(), key.topic(), key.queueId(), commit.offset())));
            parts.file().write(new Kept(parts.log().logId(), parts.log().confirmOffset(), applied, entries));
            pending.kept(all);
            keptChanges = changes;
            written = true;
        } catch (IOException e) {
            LOG.warn("event=offsets_not_kept file={}", KeptOffsets.FILE, e);
        } finally {
            keeping = false;
        }
        waiters.run(pending::isKept);
        if (written && waiters.isWaiting()) {
            parts.wake().run(); // for an offset that came meanwhile
        }
        return false;
    }

    private int handUp(long nowMs) {
        List<QueueCommit> entries = new ArrayList<>();
        Iterator<Map.Entry<GroupQueue, PendingCommits.Pending>> all = pending.iterator();
        while (all.hasNext() && entries.size() < OffsetCommits.MAX_ENTRIES_PER_FACT) {
            Map.Entry<GroupQueue, PendingCommits.Pending> entry = all.next();
            PendingCommits.Pending marked =
                    entry.getValue().appended() ? null : pending.appended(entry.getKey(), entry.getValue());
            if (marked != null) {
                GroupQueue key = entry.getKey();
                entries.add(new QueueCommit(key.group(), key.topic(), key.queueId(), marked.offset()));
            }
        }
        if (entries.isEmpty()) {
            return 0;
        }
        againMs = nowMs + AGAIN_MS;
        handUp(entries);
        return entries.size();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what follows the answer is done in the callback
    private void handUp(List<QueueCommit> entries) {
        underWay = true;
        parts.passUp().apply(entries).whenComplete((logged, failure) -> {
            boolean taken = failure == null && Boolean.TRUE.equals(logged);
            if (!taken) {
                LOG.info("event=offsets_not_handed_up entries={} reason={}", entries.size(), String.valueOf(failure));
                refused = true;
            }
            underWay = false;
            if (taken) {
                answered = true;
                parts.wake().run(); // there may be more
            }
        });
    }

    @Override
    public void reset(String group, String topic, int queueId) {
        pending.forget(new GroupQueue(group, topic, queueId));
    }

    @Override
    public void groupGone(String group) {
        pending.forgetGroup(group);
    }

    @Override
    public void topicGone(String topic) {
        pending.forgetTopic(topic);
    }

    @Override
    public long nextDeadlineMs() {
        return answered ? Long.MIN_VALUE : dueMs;
    }
}
