package dev.perigee.broker.offset;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.store.view.Duty;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * On a slave: hands what consumers committed here up to the master, which logs it by maximum (R27), every {@link #PERIOD_MS} while
 * the master is heard. An offset is kept here, and answered to whoever asks, until the log that comes from the master has it or a
 * larger one. Without a master they are kept; how many is bounded by {@link PendingCommits#MAX}.
 */
@OwnedBy("view loop")
public final class OffsetsUpstream implements Duty {
    /** Between two looks. */
    static final long PERIOD_MS = 500;

    /** What was handed up and is not in the log after this time is handed up again. */
    static final long AGAIN_MS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(OffsetsUpstream.class);

    private final PendingCommits pending;
    private final BooleanSupplier isMasterHeard;
    private final Function<List<QueueCommit>, CompletableFuture<Boolean>> passUp;
    private long dueMs = Long.MIN_VALUE;
    private long againMs = Long.MAX_VALUE;
    private boolean heardBefore;
    private volatile boolean underWay;
    private volatile boolean refused;

    /**
     * Takes what {@code commits} has not got from the log.
     *
     * @param passUp hands some to the master; completed with whether it has logged them
     */
    public OffsetsUpstream(
            OffsetCommits commits,
            BooleanSupplier isMasterHeard,
            Function<List<QueueCommit>, CompletableFuture<Boolean>> passUp) {
        this.pending = commits.pending();
        this.isMasterHeard = isMasterHeard;
        this.passUp = passUp;
    }

    @Override
    public boolean runsEverywhere() {
        return true;
    }

    @Override
    public int doWork(long nowMs) {
        if (nowMs < dueMs) {
            return 0;
        }
        dueMs = nowMs + PERIOD_MS;
        boolean heard = isMasterHeard.getAsBoolean();
        if (!heard || pending.dropApplied() == 0 || underWay) {
            heardBefore = heard;
            return 0;
        }
        if (!heardBefore || refused || nowMs >= againMs) { // a master that was not heard may have logged nothing of it
            pending.allNotAppended();
            againMs = nowMs + AGAIN_MS;
            refused = false;
        }
        heardBefore = true;
        return handUp(nowMs);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what follows the answer is done in the callback
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
        underWay = true;
        passUp.apply(entries).whenComplete((logged, failure) -> {
            if (failure != null || !Boolean.TRUE.equals(logged)) {
                LOG.info("event=offsets_not_handed_up entries={} reason={}", entries.size(), String.valueOf(failure));
                refused = true;
            }
            underWay = false;
        });
        return entries.size();
    }

    @Override
    public long nextDeadlineMs() {
        return dueMs;
    }
}
