package dev.perigee.store.log;

import dev.perigee.loop.Loop;
import dev.perigee.loop.OwnedBy;
import dev.perigee.store.disk.Ballast;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskSpace;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.jctools.queues.MpscArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does what would disturb the flusher (R29): fills the next blocks, writes queue files, flushes views, deletes files, watches free
 * space, keeps the ballast; one paced step at a time. A failure here harms nobody's bytes: it is logged and tried again later.
 */
@OwnedBy("preparer")
public final class Preparer implements Loop {
    /** Background work on files that comes up again and again; done in steps between those of tasks. */
    public interface StandingTask {
        /**
         * Does one step of a few milliseconds, if there is something to do now. Keeps failures to itself, and tries again later.
         *
         * @param nowMs monotonic milliseconds
         * @return whether it did something
         */
        boolean step(long nowMs);

        /** When the next step is wanted, in monotonic milliseconds; {@link Long#MAX_VALUE} while there is nothing to do. */
        long nextMs();
    }

    /** Tasks waiting at most; more are refused. */
    public static final int MAX_TASKS = 1024;

    private static final long PACE_MS = 10;
    private static final long RETRY_MS = 5_000;
    private static final long SPACE_CHECK_MS = 1_000;
    private static final long DELETE_CHECK_MS = 1_000;
    private static final Logger LOG = LoggerFactory.getLogger(Preparer.class);

    private final LogStorage storage;
    private final LogHorizon horizon;
    private final Disk disk;
    private final DiskSpace.SpaceRule rule;
    private final Consumer<Boolean> diskFullListener;
    private final MpscArrayQueue<PacedTask> tasks = new MpscArrayQueue<>(MAX_TASKS);
    private volatile List<StandingTask> standing = List.of();
    private @Nullable PacedTask current;
    private long nextStepMs;
    private long nextSpaceCheckMs;
    private long nextDeleteMs = Long.MAX_VALUE;
    private long checkedEndOffset = -1;
    private boolean diskFull;
    private volatile DiskSpace space;

    /** @param diskFullListener told when space becomes short or sufficient again, on this loop */
    public Preparer(
            LogStorage storage,
            LogHorizon horizon,
            Disk disk,
            DiskSpace.SpaceRule rule,
            Consumer<Boolean> diskFullListener) {
        this.storage = storage;
        this.horizon = horizon;
        this.disk = disk;
        this.rule = rule;
        this.diskFullListener = diskFullListener;
        this.space = new DiskSpace(0, 0, rule, 0);
    }

    /**
     * What was found when free space was last looked at, at most a second ago while it is short, and whether the reserve is there now.
     * Any thread.
     */
    public DiskSpace space() {
        return space.withReserve(storage.ballast().wantedBytes());
    }

    /** Names work that is done between all other, in this order; before this loop runs. Whoever has some wakes this loop. */
    public void standing(List<StandingTask> all) {
        standing = List.copyOf(all);
    }

    /** Queues background work; false when {@link #MAX_TASKS} wait already. The caller wakes this loop. */
    public boolean submit(PacedTask task) {
        return tasks.offer(task);
    }

    @Override
    public String name() {
        return "perigee-preparer";
    }

    @Override
    public int doWork(long nowMs) {
        if (nowMs < nextStepMs) {
            return 0;
        }
        try {
            int stood = stepStanding(nowMs);
            int work = stepTask() + checkSpace(nowMs) + deleteWhenDue(nowMs); // tasks first: they free space
            work += keepBallast() + fill() + stood;
            nextStepMs = work > 0 ? nowMs + PACE_MS : nowMs;
            return 0;
        } catch (IOException e) {
            nextStepMs = nowMs + RETRY_MS;
            LOG.warn("event=background_io_failed retryMs={}", RETRY_MS, e);
            return 0;
        }
    }

    private int stepStanding(long nowMs) {
        int stepped = 0;
        for (StandingTask task : standing) {
            stepped += task.step(nowMs) ? 1 : 0;
        }
        return stepped;
    }

    private long standingMs() {
        long first = Long.MAX_VALUE;
        for (StandingTask task : standing) {
            first = Math.min(first, task.nextMs());
        }
        return first;
    }

    /** Free space is looked at only when something was written since, or while it is short: an idle node sleeps. */
    private int checkSpace(long nowMs) throws IOException {
        long end = horizon.end();
        if (nowMs < nextSpaceCheckMs || !watchesSpace()) {
            return 0;
        }
        checkedEndOffset = end;
        nextSpaceCheckMs = nowMs + SPACE_CHECK_MS;
        DiskSpace now = new DiskSpace(disk.freeBytes(), disk.totalBytes(), rule, 0);
        space = now;
        boolean full = now.isShort() || storage.ballast().isSpent();
        if (full != diskFull) {
            diskFull = full;
            LOG.warn(
                    "event=disk_space writable={} freeBytes={} neededBytes={}",
                    !full,
                    now.freeBytes(),
                    now.neededBytes());
            diskFullListener.accept(full);
        }
        return 0;
    }

    private boolean watchesSpace() {
        return diskFull || storage.ballast().isMissing() || horizon.end() != checkedEndOffset;
    }

    private int keepBallast() throws IOException {
        Ballast ballast = storage.ballast();
        if (!ballast.hasWork(space)) {
            nextSpaceCheckMs = ballast.giveUpMissing(space) ? 0 : nextSpaceCheckMs;
            return 0;
        }
        boolean wasSpent = ballast.isSpent();
        ballast.step();
        if (wasSpent && !ballast.isSpent()) {
            diskFull = true; // as the log loop has told: the next look at the disk says whether it still is
            nextSpaceCheckMs = 0;
        }
        return 1;
    }

    private int deleteWhenDue(long nowMs) throws IOException {
        if (nowMs < nextDeleteMs && nextDeleteMs != Long.MAX_VALUE) {
            return 0;
        }
        nextDeleteMs = storage.deleteTrimmed() > 0 ? nowMs + DELETE_CHECK_MS : Long.MAX_VALUE;
        return 0;
    }

    private int stepTask() throws IOException {
        PacedTask task = current == null ? tasks.poll() : current;
        if (task == null) {
            return 0;
        }
        current = null; // unless it has more to do: one that fails makes way for the next
        if (task.step()) {
            current = task;
        }
        return 1;
    }

    private int fill() throws IOException {
        if (diskFull || !storage.filler().hasWork()) {
            return 0;
        }
        storage.filler().step();
        return 1;
    }

    @Override
    public long nextDeadlineMs() {
        boolean pending = current != null
                || !tasks.isEmpty()
                || storage.ballast().hasWork(space)
                || (!diskFull && storage.filler().hasWork());
        long deadline = Math.min(pending ? nextStepMs : nextDeleteMs, Math.max(nextStepMs, standingMs()));
        return watchesSpace() ? Math.min(deadline, nextSpaceCheckMs) : deadline;
    }
}
