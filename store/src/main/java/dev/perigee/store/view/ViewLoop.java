package dev.perigee.store.view;

import dev.perigee.loop.LendableLoop;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.LogTrimmed;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.log.LogReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop that owns all views and all duties: applies confirmed entries in log order, announces how far it came, lets
 * duties act, and has the views checkpointed. It sleeps until the confirm offset moves, a waiter comes or a deadline is
 * reached; whoever moves the confirm offset wakes it.
 */
@OwnedBy("view loop")
public final class ViewLoop implements LendableLoop {
    /** Entries of a short pass: more is worth a wake-up. */
    private static final int SHORT_ENTRIES = 16;

    /** How often views that had no room are asked for it. */
    static final long ROOM_CHECK_MS = 100;

    private static final Logger LOG = LoggerFactory.getLogger(ViewLoop.class);

    private final ViewSeams seams;
    private final ViewConfig config;
    private final List<ViewSlot> slots;
    private final List<Duty> duties;
    private final Checkpoints checkpoints;
    private final AppliedWaiters waiters;
    private final LogTrim trim;
    private final LogEntry entry = new LogEntry();
    private final LogReader reader;
    private volatile Runnable wake = () -> {};
    private volatile long appliedOffset;
    private int appliedEpoch;
    private long lastPassMs;
    private boolean held;

    public ViewLoop(ViewSeams seams, ViewConfig config, List<LogView> views, List<Duty> duties) {
        this.seams = seams;
        this.config = config;
        this.slots = views.stream().map(ViewSlot::new).toList();
        this.duties = List.copyOf(duties);
        this.checkpoints = new Checkpoints(seams, config, slots);
        this.trim = new LogTrim(seams.log(), seams.preparer());
        this.waiters = new AppliedWaiters(config.maxWaiters());
        this.reader = new LogReader(seams.log(), 0);
        if (views.stream().map(LogView::name).distinct().count() != views.size()) {
            throw new IllegalArgumentException("two views of one name: "
                    + views.stream().map(LogView::name).toList());
        }
    }

    /** Names what makes the loop run soon; the driver's wake. Before the start. */
    public void onWake(Runnable wake) {
        this.wake = wake;
    }

    /**
     * Restores the views from their checkpoints and replays the log up to its confirm offset. Blocks; called once, when
     * the log is recovered and before the loop starts.
     *
     * @return where the replay began
     */
    public long open() throws IOException {
        long from = checkpoints.open();
        reader.seek(from);
        appliedOffset = from;
        appliedEpoch =
                seams.log().extent().epochs().at(from - 1).map(Epoch::number).orElse(0);
        long begunMs = seams.clock().monotonicMs();
        long entries = 0;
        for (int count = applyPass(config.entriesPerPass()); count > 0; count = applyPass(config.entriesPerPass())) {
            entries += count;
        }
        if (appliedOffset < seams.log().confirmOffset()) {
            throw new IOException("the views cannot take the log from offset " + appliedOffset
                    + " on: the files of one of them cannot be written, see what was logged before");
        }
        LOG.info(
                "event=views_level from={} to={} entries={} tookMs={}",
                from,
                appliedOffset,
                entries,
                seams.clock().monotonicMs() - begunMs);
        return from;
    }

    @Override
    public String name() {
        return "view-loop";
    }

    @Override
    public int doWork(long nowMs) {
        lastPassMs = nowMs;
        int work = applyPass(config.entriesPerPass());
        work += waiters.run(appliedOffset);
        for (Duty duty : duties) {
            work += mayRun(duty) ? duty.doWork(nowMs) : 0;
        }
        work += checkpoints.doWork(applied(), nowMs);
        return work + trim.doWork(checkpoints.durableOffset());
    }

    /**
     * Applies a few entries on whatever thread this is. It stops before the first one that is no plain message of a user, for
     * that may make a view wait for the disk or a duty act; these, and all else that a pass consists of, are left to the
     * loop's own thread.
     */
    @Override
    public boolean doShortWork(long nowMs) {
        if (held) {
            return false; // a view that is asked for room may try its files
        }
        lastPassMs = nowMs;
        applyPass(SHORT_ENTRIES, true);
        return waiters.size() == 0 && appliedOffset >= seams.log().confirmOffset();
    }

    @Override
    public long nextDeadlineMs() {
        long deadlineMs = checkpoints.nextDeadlineMs(appliedOffset, lastPassMs);
        if (held) {
            deadlineMs = Math.min(deadlineMs, lastPassMs + ROOM_CHECK_MS);
        }
        for (Duty duty : duties) {
            deadlineMs = mayRun(duty) ? Math.min(deadlineMs, duty.nextDeadlineMs()) : deadlineMs;
        }
        return deadlineMs;
    }

    private boolean mayRun(Duty duty) {
        return seams.isOpen().getAsBoolean()
                && (duty.runsEverywhere() || seams.mayAppend().getAsBoolean());
    }

    /** Applies what is confirmed, within the limit of a pass, and then announces it. */
    private int applyPass(int maxEntries) {
        return applyPass(maxEntries, false);
    }

    /** Holds the passes up while a view has no room: what it does not take lies in the log. */
    private boolean haveRoom() {
        for (ViewSlot slot : slots) {
            if (!slot.view().hasRoom()) {
                if (!held) {
                    LOG.warn(
                            "event=views_held_up view={} appliedOffset={}",
                            slot.view().name(),
                            appliedOffset);
                }
                held = true;
                return false;
            }
        }
        if (held) {
            LOG.info("event=views_go_on appliedOffset={}", appliedOffset);
        }
        held = false;
        return true;
    }

    private int applyPass(int maxEntries, boolean onlyPlain) {
        int count = 0;
        if (!haveRoom()) {
            return 0;
        }
        beginWithTheLog();
        try {
            while (count < maxEntries && reader.next()) {
                entry.wrap(reader.buffer(), reader.framePosition(), reader.frameOffset());
                if (onlyPlain && !isPlain()) {
                    reader.seek(reader.frameOffset());
                    break;
                }
                apply();
                count++;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("reading the log at " + reader.position() + " for the views", e);
        }
        if (reader.position() > appliedOffset) { // also over a blank that no frame follows yet
            passEnded(new LogPosition(seams.log().logId(), appliedEpoch, reader.position()));
            appliedOffset = reader.position();
        }
        return count;
    }

    /** An empty log that begins to receive begins where its sender's does (R30): there is nothing before that to apply. */
    private void beginWithTheLog() {
        long start = seams.log().startOffset();
        if (appliedOffset < start && seams.log().confirmOffset() >= start) {
            LOG.info("event=views_begin offset={} from={}", start, appliedOffset);
            reader.seek(start);
            appliedOffset = start;
        }
    }

    private void passEnded(LogPosition reached) {
        for (ViewSlot slot : slots) {
            slot.reached(reached);
            slot.view().passEnded();
        }
    }

    private boolean isPlain() {
        return !entry.logTopic().isSystem() && !entry.properties().hasMark();
    }

    private void apply() {
        appliedEpoch = entry.epoch();
        for (ViewSlot slot : slots) {
            slot.apply(entry);
        }
        if (entry.isFact() && entry.fact() instanceof LogTrimmed trimmed) {
            trimmed(trimmed.startOffset());
        }
    }

    private void trimmed(long startOffset) {
        for (ViewSlot slot : slots) {
            slot.trimmed(entry.offset(), startOffset);
        }
        trim.trimmed(startOffset, entry.endOffset());
        checkpoints.request();
    }

    private LogPosition applied() {
        return new LogPosition(seams.log().logId(), appliedEpoch, appliedOffset);
    }

    /** All views have applied everything below. Any thread. */
    public long appliedOffset() {
        return appliedOffset;
    }

    /** All views are durable up to here. Any thread. */
    public long durableOffset() {
        return checkpoints.durableOffset();
    }

    /**
     * Runs a task once all views have applied everything below an offset: at once on the calling thread when they have,
     * else later on the view loop, where it must not block. Any thread.
     *
     * @return false, and the task never runs, when too many tasks wait
     */
    public boolean whenApplied(long offset, Runnable task) {
        if (offset <= appliedOffset) {
            task.run();
            return true;
        }
        if (!waiters.add(offset, task)) {
            return false;
        }
        wake.run();
        return true;
    }

    /** How many tasks wait. Any thread. */
    public int waiting() {
        return waiters.size();
    }

    /** Makes a checkpoint due now. View loop only. */
    public void requestCheckpoint() {
        checkpoints.request();
    }

    /** Checkpoints all views where they stand. Blocks; called when this loop and the preparer have ended. */
    public void close() throws IOException {
        checkpoints.close(applied());
    }
}
