package dev.perigee.store.view;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.epoch.EpochFile;
import dev.perigee.store.epoch.EpochTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when the views are checkpointed and how far they are durable. One round at a time: frozen on the view loop,
 * handed to the preparer once the log itself is synced that far, closed when the preparer is through. After a force of a
 * view's files failed there are no more rounds: the next start replays from the checkpoint before, and writes all anew.
 */
@OwnedBy("view loop")
final class Checkpoints {
    /** How often a round that waits for the log to be synced, or for the preparer, is looked at. */
    private static final long WAIT_MS = 10;
    /** After a failed round the next one waits this long. */
    private static final long RETRY_MS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);

    private final ViewSeams seams;
    private final ViewConfig config;
    private final List<ViewSlot> slots;
    private @Nullable CheckpointRound round;
    private boolean submitted;
    private boolean requested;
    private boolean pagesLost;
    private long lastOffset;
    private long lastMs;
    private long notBeforeMs;
    private volatile long durableOffset;

    Checkpoints(ViewSeams seams, ViewConfig config, List<ViewSlot> slots) {
        this.seams = seams;
        this.config = config;
        this.slots = slots;
    }

    /** Restores every view, or empties it, and returns where the replay has to begin. */
    long open() throws IOException {
        LogIdentity identity = LogIdentity.of(seams.log());
        long first = Long.MAX_VALUE;
        for (ViewSlot slot : slots) {
            slot.open(seams.disk(), identity);
            first = Math.min(first, slot.appliedOffset());
            seams.log().wasConfirmedTo(slot.appliedOffset());
        }
        durableOffset = Math.min(first, seams.log().confirmOffset());
        lastOffset = durableOffset;
        return durableOffset;
    }

    /** All views are durable up to here: a restart replays from it. Any thread. */
    long durableOffset() {
        return durableOffset;
    }

    /** Makes a round due at once, when anything was applied since the last one. */
    void request() {
        requested = true;
    }

    int doWork(LogPosition applied, long nowMs) {
        CheckpointRound current = round;
        if (current == null) {
            if (!isDue(applied.offset(), nowMs)) {
                return 0;
            }
            freeze(applied, nowMs);
            return 1;
        }
        if (!submitted) {
            return submit(current);
        }
        return finish(current, nowMs);
    }

    private boolean isDue(long appliedOffset, long nowMs) {
        if (pagesLost) {
            return false;
        }
        if (appliedOffset <= lastOffset || nowMs < notBeforeMs) {
            requested &= appliedOffset > lastOffset;
            return false;
        }
        if (lastMs == 0) {
            lastMs = nowMs;
        }
        return requested
                || appliedOffset - lastOffset >= config.checkpointBytes()
                || nowMs - lastMs >= config.checkpointIntervalMs();
    }

    private CheckpointRound freeze(LogPosition applied, long nowMs) {
        List<CheckpointRound.Part> parts = new ArrayList<>();
        for (ViewSlot slot : slots) {
            parts.add(new CheckpointRound.Part(slot.view().name(), slot.view().freeze()));
        }
        long offset = applied.offset();
        EpochTable table = seams.log().extent().epochs().cutTo(offset);
        EpochFile epochs = new EpochFile(
                applied.logId(),
                offset,
                table,
                seams.log().replicaSet(offset),
                seams.log().members(offset).all());
        CheckpointRound made = new CheckpointRound(seams.disk(), applied, epochs, parts);
        round = made;
        submitted = false;
        requested = false;
        lastMs = nowMs;
        return made;
    }

    /** A checkpoint never covers bytes the log has not synced. */
    private int submit(CheckpointRound current) {
        if (seams.log().syncedOffset() < current.position().offset()) {
            return 0;
        }
        submitted = true;
        seams.preparer().accept(current);
        return 1;
    }

    private int finish(CheckpointRound current, long nowMs) {
        switch (current.outcome()) {
            case RUNNING -> {
                return 0;
            }
            case DURABLE -> {
                lastOffset = current.position().offset();
                durableOffset = lastOffset;
            }
            case FAILED -> {
                notBeforeMs = nowMs + RETRY_MS;
                requested = true;
            }
            case PAGES_LOST -> {
                pagesLost = true;
                LOG.error(
                        "event=checkpoints_stopped durableOffset={} effect=no_retention_until_restart", durableOffset);
            }
        }
        round = null;
        return 1;
    }

    long nextDeadlineMs(long appliedOffset, long nowMs) {
        if (round != null) {
            return nowMs + WAIT_MS;
        }
        if (pagesLost || appliedOffset <= lastOffset) {
            return Long.MAX_VALUE;
        }
        return Math.max(notBeforeMs, requested ? nowMs : lastMs + config.checkpointIntervalMs());
    }

    /** The last round, on the closing thread, after the loop and the preparer have ended. Blocks. */
    void close(LogPosition applied) throws IOException {
        if (pagesLost || applied.offset() <= durableOffset || seams.log().syncedOffset() < applied.offset()) {
            return;
        }
        CheckpointRound last = freeze(applied, lastMs);
        while (last.step()) {
            // paced for the preparer's sake; here nobody waits
        }
        if (last.outcome() == CheckpointRound.Outcome.DURABLE) {
            durableOffset = applied.offset();
            lastOffset = applied.offset();
        }
        round = null;
        LOG.info("event=views_checkpointed offset={} outcome={}", applied.offset(), last.outcome());
    }
}
