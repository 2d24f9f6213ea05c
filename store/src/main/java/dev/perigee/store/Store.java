package dev.perigee.store;

import dev.perigee.loop.Loop;
import dev.perigee.loop.LoopDriver;
import dev.perigee.loop.Opened;
import dev.perigee.loop.OwnedBy;
import dev.perigee.store.append.Appender;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.append.LogEngine;
import dev.perigee.store.append.Replication;
import dev.perigee.store.disk.DiskLock;
import dev.perigee.store.disk.DiskSpace;
import dev.perigee.store.index.IndexConfig;
import dev.perigee.store.index.KeyIndexView;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.PacedTask;
import dev.perigee.store.log.Preparer.StandingTask;
import dev.perigee.store.queue.ConsumeQueueView;
import dev.perigee.store.queue.QueueConfig;
import dev.perigee.store.receive.ReceiveInbox;
import dev.perigee.store.recovery.LogCut;
import dev.perigee.store.recovery.RecoveryReport;
import dev.perigee.store.retention.RetentionConfig;
import dev.perigee.store.retention.RetentionDuty;
import dev.perigee.store.retention.RetentionSeams;
import dev.perigee.store.retention.RetentionView;
import dev.perigee.store.tail.Flusher;
import dev.perigee.store.view.CheckpointFile;
import dev.perigee.store.view.ColdReaders;
import dev.perigee.store.view.Duty;
import dev.perigee.store.view.LogFrames;
import dev.perigee.store.view.LogView;
import dev.perigee.store.view.ViewConfig;
import dev.perigee.store.view.ViewLoop;
import dev.perigee.store.view.ViewSeams;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One broker's store: opens, starts and closes the log, its loops and the views over it. Wiring only. The loops are plain
 * objects, so a simulation steps them instead of calling {@link #start}.
 */
@OwnedBy("starting thread")
public final class Store implements AutoCloseable {
    private static final long DRAIN_TIMEOUT_MS = 10_000;
    private static final int COLD_READER_THREADS = 2;
    private static final int COLD_READS_QUEUED = 1024;
    private static final Logger LOG = LoggerFactory.getLogger(Store.class);

    /** Makes the duties once there is a sink for their facts. */
    @FunctionalInterface
    public interface DutyMaker {
        /**
         * The duties, in the order in which each pass of the view loop runs them; called once, while the store opens.
         */
        List<Duty> make(FactSink facts);
    }

    private final StoreSeams seams;
    private final DiskLock lock;
    private final LogEngine engine;
    private final FactSink facts;
    private final ConsumeQueueView queues;
    private final Optional<KeyIndexView> keyIndex;
    private final RetentionDuty retention;
    private final ViewLoop viewLoop;
    private final ColdReaders coldReaders;
    private final List<LoopDriver> drivers = new ArrayList<>();
    private boolean started;
    private boolean closed;

    private Store(
            StoreConfig config,
            StoreSeams seams,
            DiskLock lock,
            LogEngine engine,
            Views views,
            QueueConfig queueSizes) {
        this.seams = seams;
        this.lock = lock;
        this.engine = engine;
        this.facts = new FactSink(engine.gate(), seams.clock());
        LogFrames frames = new LogFrames(engine.log());
        this.queues = new ConsumeQueueView(seams.disk(), queueSizes, frames::storeTimestampMs);
        this.keyIndex = config.keyIndexEnabled()
                ? Optional.of(new KeyIndexView(seams.disk(), IndexConfig.DEFAULT, frames))
                : Optional.empty();
        RetentionView retentionView = new RetentionView();
        List<LogView> all = new ArrayList<>();
        all.add(queues);
        keyIndex.ifPresent(all::add);
        all.add(retentionView);
        all.addAll(views.extra());
        this.retention = retention(config, retentionView, all);
        List<Duty> duties = new ArrayList<>(views.duties().make(facts));
        duties.add(new OwnEpochDuty(retention, this::hasOwnEpoch));
        ViewSeams viewSeams = new ViewSeams(
                engine.log(),
                seams.clock(),
                seams.disk(),
                work -> {
                    if (!background(work)) {
                        throw new IllegalStateException("the preparer refuses a checkpoint: too many tasks wait");
                    }
                },
                engine.gate()::isOpen,
                engine.gate()::mayAppend);
        this.viewLoop = new ViewLoop(viewSeams, ViewConfig.DEFAULT, all, duties);
        this.coldReaders = new ColdReaders(0, COLD_READS_QUEUED, seams.clock());
    }

    /** Has the preparer do slow work on files, step by step; false when too many tasks wait. Any thread. */
    public boolean background(PacedTask work) {
        boolean taken = engine.preparer().submit(work);
        engine.bells().preparer().ring();
        return taken;
    }

    private RetentionDuty retention(StoreConfig config, RetentionView view, List<LogView> all) {
        RetentionSeams retentionSeams = new RetentionSeams(
                engine.log(),
                seams.disk(),
                seams.clock(),
                this::background,
                facts::append,
                facts::append,
                () -> viewLoop().appliedOffset());
        RetentionConfig retentionConfig =
                RetentionConfig.of(config.retentionHours(), config.deleteWhen(), ZoneId.systemDefault());
        return new RetentionDuty(retentionSeams, retentionConfig, view, all);
    }

    /** What a broker adds to the store's own views. */
    public record Views(List<LogView> extra, DutyMaker duties) {
        /** Nothing beyond the consume queues and the key index. */
        public static Views none() {
            return new Views(List.of(), facts -> List.of());
        }
    }

    /**
     * Opens the store: locks the folder, recovers the log, restores the views and replays them to the log's end. Blocks.
     *
     * @throws IOException when the folder is in use or unreadable; {@code CorruptLogException} when acknowledged bytes are
     *     damaged
     */
    public static Store open(StoreConfig config, StoreSeams seams, Replication replication, Views views)
            throws IOException {
        return open(config, seams, replication, views, QueueConfig.DEFAULT);
    }

    /** As above, with consume queues of other sizes. */
    static Store open(
            StoreConfig config, StoreSeams seams, Replication replication, Views views, QueueConfig queueSizes)
            throws IOException {
        try (Opened opened = new Opened()) {
            DiskLock lock = seams.disk().lock(LogCut.LOCK_FILE);
            opened.add(lock);
            List<String> names = new ArrayList<>();
            names.add(ConsumeQueueView.NAME);
            if (config.keyIndexEnabled()) {
                names.add(KeyIndexView.NAME);
            }
            names.add(RetentionView.NAME);
            views.extra().forEach(view -> names.add(view.name()));
            LogEngine engine = LogEngine.open(
                    new LogEngine.Seams(seams.disk(), seams.clock(), seams.random(), seams.bootId(), seams.faults()),
                    config.logLoopConfig(),
                    replication,
                    logId -> CheckpointFile.lowestOffset(seams.disk(), names, logId),
                    logId -> CheckpointFile.highestOffset(seams.disk(), names, logId));
            opened.add(engine::close);
            Store store = new Store(config, seams, lock, engine, views, queueSizes);
            opened.add(store.coldReaders);
            store.viewLoop.open();
            engine.seed(store.queues);
            engine.preparer().standing(store.writeElsewhere(engine.bells().preparer()::ring));
            engine.gate().heldUpWhile(store::areViewsHeldUp);
            opened.keep();
            return store;
        }
    }

    private List<StandingTask> writeElsewhere(Runnable wake) {
        List<StandingTask> writing = new ArrayList<>();
        writing.add(queues.writeElsewhere(wake));
        keyIndex.ifPresent(index -> writing.add(index.writeElsewhere(wake)));
        return writing;
    }

    private boolean areViewsHeldUp() {
        return queues.isHeldUp() || (keyIndex.isPresent() && keyIndex.get().isHeldUp());
    }

    /** The loops, for a simulation to step. Not to be touched once {@link #start} was called. */
    public List<Loop> loops() {
        return List.of(engine.logLoop(), engine.flusher(), viewLoop, engine.preparer());
    }

    /** Gives every loop its thread. */
    public void start() {
        if (started || closed) {
            throw new IllegalStateException("the store was started or closed before");
        }
        started = true;
        coldReaders.start(COLD_READER_THREADS);
        LoopDriver logDriver = drive(engine.logLoop());
        LoopDriver viewDriver = drive(viewLoop);
        LoopDriver flushDriver = drive(engine.flusher());
        LoopDriver preparerDriver = drive(engine.preparer());
        engine.logBell().tie(logDriver);
        engine.bells().readers().tie(viewDriver);
        engine.bells().flusher().tie(flushDriver);
        engine.bells().preparer().tie(preparerDriver);
        viewLoop.onWake(viewDriver::wake);
        drivers.forEach(LoopDriver::start);
    }

    private LoopDriver drive(Loop loop) {
        LoopDriver driver = new LoopDriver(loop, seams.clock(), (failed, cause) -> {
            engine.gate().close();
            seams.faults().logFailed(cause);
        });
        drivers.add(driver);
        return driver;
    }

    /** The log for readers. */
    public CommitLog log() {
        return engine.log();
    }

    /**
     * A new appender for one event loop.
     *
     * @param turn runs a task on that event loop when it has handed up what it just read; what was submitted until then
     *     goes to the log together
     */
    public Appender newAppender(Executor turn) {
        return engine.gate().newAppender(turn);
    }

    /** An appender for one thread that hands each unit to the log by itself. */
    public Appender newAppender() {
        return engine.gate().newAppender(Runnable::run);
    }

    /**
     * Where what another node's log holds is handed over while this node follows it; see {@link Replication#mayReceive}. Any
     * thread.
     */
    public ReceiveInbox received() {
        return engine.received();
    }

    /** Where facts are appended. */
    public FactSink facts() {
        return facts;
    }

    /** The consume queues. */
    public ConsumeQueueView queues() {
        return queues;
    }

    /** The key index; empty when it is switched off. */
    public Optional<KeyIndexView> keyIndex() {
        return keyIndex;
    }

    /** The loop of all views: how far they are, and waiting for them. */
    public ViewLoop viewLoop() {
        return viewLoop;
    }

    /**
     * Whether this node writes in an epoch of its own and its views show all that lies before: only then may anything be decided by
     * them, for what was decided before may lie behind the confirm offset (R13, R31). Any thread.
     */
    public boolean hasOwnEpoch() {
        return viewLoop().appliedOffset() >= engine.logLoop().epochFrom();
    }

    /** Runs a task once all views have applied everything below an offset; false when too many wait. Any thread. */
    public boolean whenApplied(long offset, Runnable task) {
        return viewLoop.whenApplied(offset, task);
    }

    /** How much of the disk was free when it was last looked at; at most a second ago while space is short. Any thread. */
    public DiskSpace diskSpace() {
        return engine.preparer().space();
    }

    /** Makes the log loop run soon, so that replication looks at what it was told. Any thread. */
    public void wakeLog() {
        engine.logBell().ring();
    }

    /** As {@link #wakeLog}; when the log loop is parked, its short pass is done on this thread. Any thread but a loop's of the store. */
    public void runLog() {
        engine.logBell().ringOrRun();
    }

    /** Makes the view loop run soon, so that duties look at what was handed to them. Any thread. */
    public void wakeViews() {
        engine.bells().readers().ring();
    }

    /** Lets expired segments go now instead of in the deletion hour. Any thread. */
    public void deleteExpired() {
        retention.force();
    }

    /** How often retention could not look at the disk since the start. Any thread. */
    public long retentionFailures() {
        return retention.failures();
    }

    /** How many frames retention had to carry and found damaged since the start; each is in the log file by place. Any thread. */
    public long framesLost() {
        return retention.framesLost();
    }

    /** The threads for reads that may wait for the disk; until {@link #start} it is the caller's. */
    public ColdReaders coldReaders() {
        return coldReaders;
    }

    /** What recovery says to be missing, perhaps, has come again from another node: the next start need not know of it. Any thread. */
    public void restored() {
        engine.flusher().restored();
    }

    /**
     * Has the preparer write what another node holds over damaged bytes of the running log, durably (R28). Any thread.
     *
     * @param epoch of the unit that begins there
     * @param limitOffset nothing at or behind it is touched
     * @param done told on the preparer where what was written ends, or the offset itself when nothing was
     * @return false when too much waits for the preparer, and nothing will be done
     */
    public boolean mend(long offset, ByteBuffer units, int epoch, long limitOffset, LongConsumer done) {
        return background(engine.mending(offset, units, epoch, limitOffset, done));
    }

    /**
     * Whether a broker that asked nobody may have confirmed all that was found, in an earlier run of this node; where it follows another one
     * now, all that was found counts as confirmed.
     */
    public boolean confirmedAlone() {
        return engine.confirmedAlone();
    }

    /**
     * How far the log is confirmed is kept elsewhere, durably: later starts need not take their whole log for confirmed. Blocks; before the
     * loops run.
     *
     * @throws IOException when the disk does not take it
     */
    public void confirmedIsKept() throws IOException {
        engine.confirmedIsKept();
    }

    /** Has a vote made durable, before what the log waits for; one that waits is replaced. Log loop only. */
    public void writeVote(Flusher.VoteOrder order) {
        engine.flusher().writeVote(order);
        engine.bells().flusher().ring();
    }

    /** What recovery found at the start. */
    public RecoveryReport recovery() {
        return engine.report();
    }

    /** Whether appends are refused for want of space. Any thread. */
    public boolean isDiskFull() {
        return engine.gate().isDiskFull();
    }

    /** Whether not even a fact finds room on the disk. Any thread. */
    public boolean isOutOfSpace() {
        return engine.isOutOfSpace();
    }

    /** Whether many requests wait for the log loop. Any thread. */
    public boolean isBusy() {
        return engine.gate().isBusy();
    }

    /** Refuses new appends, completes and flushes the old ones, checkpoints the views and lets the folder go. Blocks. */
    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        endAppends();
        for (LoopDriver driver : drivers) {
            driver.stop(DRAIN_TIMEOUT_MS);
        }
        coldReaders.close();
        try {
            engine.closeClean();
            finishViews();
        } finally {
            engine.close();
            lock.close();
        }
    }

    /** Takes nothing more, and waits for what was taken; what it says of the log may still be heard. Blocks; idempotent. */
    public void endAppends() {
        engine.gate().close();
        drain();
    }

    private void drain() {
        if (!started) {
            long nowMs = seams.clock().monotonicMs();
            for (int work = 1; work > 0; ) {
                work = engine.logLoop().doWork(nowMs) + engine.flusher().doWork(nowMs);
            }
            return;
        }
        engine.logBell().ring();
        try {
            if (!engine.logLoop().drained().await(DRAIN_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
                LOG.warn("event=drain_timeout timeoutMs={}", DRAIN_TIMEOUT_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** With all threads gone the closing one owns the views: level them, then checkpoint. */
    private void finishViews() throws IOException {
        if (drivers.stream().allMatch(driver -> driver.fault() == null)) {
            queues.writeHere();
            keyIndex.ifPresent(KeyIndexView::writeHere);
            long nowMs = seams.clock().monotonicMs();
            long before = -1;
            while (viewLoop.appliedOffset() < engine.log().confirmOffset() && viewLoop.appliedOffset() > before) {
                before = viewLoop.appliedOffset();
                viewLoop.doWork(nowMs);
            }
            viewLoop.close();
        }
    }
}
