package dev.perigee.store.append;

import dev.perigee.loop.Clock;
import dev.perigee.loop.Immutable;
import dev.perigee.loop.Opened;
import dev.perigee.loop.OwnedBy;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.epoch.EpochFile;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.LogHorizon;
import dev.perigee.store.log.LogStorage;
import dev.perigee.store.log.PacedTask;
import dev.perigee.store.log.Preparer;
import dev.perigee.store.log.SyncedToMark;
import dev.perigee.store.log.SyncedToMark.Mark;
import dev.perigee.store.receive.ReceiveInbox;
import dev.perigee.store.recovery.LogPatch;
import dev.perigee.store.recovery.Recovery;
import dev.perigee.store.recovery.RecoveryReport;
import dev.perigee.store.tail.Bell;
import dev.perigee.store.tail.EpochFrames;
import dev.perigee.store.tail.Flusher;
import dev.perigee.store.tail.HeadFacts;
import dev.perigee.store.tail.QueueLevels;
import dev.perigee.store.tail.StoreTime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.LongUnaryOperator;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log with its writer, recovered and wired but without threads: three loops for drivers or a simulation to call. The
 * folder is locked by whoever opens it.
 */
@OwnedBy("starting thread")
public final class LogEngine {
    /** What the engine takes from outside; see {@code StoreSeams}. */
    @Immutable
    public record Seams(Disk disk, Clock clock, RandomGenerator random, long bootId, LogLoop.FaultListener faults) {}

    private static final Logger LOG = LoggerFactory.getLogger(LogEngine.class);

    private final LogStorage storage;
    private final SyncedToMark mark;
    private final RecoveryReport report;
    private final LogHorizon horizon = new LogHorizon();
    private final CommitLog log;
    private final Bell logBell = new Bell();
    private final LogLoop.Bells bells = new LogLoop.Bells(new Bell(), new Bell(), new Bell());
    /** As set, for segments of any size. */
    private final LogLoopConfig wanted;

    private final AppendGate gate;
    private final ReceiveInbox received =
            new ReceiveInbox(ReceiveInbox.WINDOW_BYTES, logBell::ring, logBell::ringOrRun);
    private final LogTail tail;
    private final Flusher flusher;
    private final Preparer preparer;
    private final LogLoop loop;
    private final Replication replication;
    /** Whether this node may have confirmed alone all that was found. */
    private final boolean confirmedAlone;

    /** What recovery left, for the engine to begin with. */
    private record Recovered(
            LogStorage storage, SyncedToMark mark, RecoveryReport report, long logId, long confirm, boolean alone) {}

    private LogEngine(Seams seams, LogLoopConfig config, Replication replication, Recovered recovered) {
        this.storage = recovered.storage();
        this.mark = recovered.mark();
        this.report = recovered.report();
        this.replication = replication;
        this.confirmedAlone = recovered.alone();
        long end = report.endOffset();
        long logId = recovered.logId() == 0 ? freshId(seams.random()) : recovered.logId();
        horizon.epochs(report.epochs());
        horizon.replicaSets(report.replicaSets());
        horizon.members(report.members());
        horizon.epoch(logId, report.epoch());
        horizon.end(end);
        horizon.synced(end);
        replication.keptAlone(isAlone());
        replication.recovered(report.generation(), end);
        horizon.confirm(Math.min(end, Math.max(recovered.confirm(), replication.confirmOffset())));
        this.log = new CommitLog(storage, horizon);
        this.gate = new AppendGate(config.forSegmentsOf(storage.segmentSizeBytes()), logBell);
        StoreTime time = new StoreTime(seams.clock(), report.storeTimestampMs());
        EpochFrames epochFrames =
                new EpochFrames(logId, storage.segmentSizeBytes(), () -> freshId(seams.random()), seams.clock());
        this.tail = new LogTail(storage, horizon, time, epochFrames, this::adopted);
        Flusher.MarkFacts facts = new Flusher.MarkFacts(logId, seams.bootId(), report.lostBytes(), isFollowed());
        this.flusher = new Flusher(
                storage, mark, config.flushMode() == FlushMode.ASYNC ? Flusher.ASYNC_DELAY_MS : 0, facts, logBell);
        this.flusher.startAt(report.generation(), end, report.epoch(), report.storeTimestampMs());
        if (isAlone()) {
            flusher.startAlone();
        }
        storage.ballast().onSpent(() -> {
            gate.diskFull(true);
            bells.preparer().ring();
        });
        this.preparer = new Preparer(storage, horizon, seams.disk(), config.space(), gate::diskFull);
        this.wanted = config;
        this.loop = new LogLoop(gate, received, tail, replication, flusher, bells, seams.faults());
    }

    /** The empty log has become that of another node: whatever was made for a log of this one's fits it now. */
    private void adopted(long logId, int segmentSizeBytes) {
        LOG.info("event=log_adopted logId={} segmentSizeBytes={}", Long.toHexString(logId), segmentSizeBytes);
        gate.limits(wanted.forSegmentsOf(segmentSizeBytes));
        storage.ballast().fit(segmentSizeBytes);
        bells.preparer().ring();
    }

    private static long freshId(RandomGenerator random) {
        long id = random.nextLong();
        return id == 0 ? 1 : id;
    }

    /**
     * Recovers the log and wires its loops. Blocks.
     *
     * @param checkpoints gives, for the id of the log, the lowest offset a durable view of it has applied; negative for
     *     none
     * @throws IOException also {@code CorruptLogException} when acknowledged bytes are damaged
     */
    public static LogEngine open(
            Seams seams, LogLoopConfig config, Replication replication, LongUnaryOperator checkpoints)
            throws IOException {
        return open(seams, config, replication, checkpoints, checkpoints);
    }

    /**
     * As above, where views are durable to different offsets.
     *
     * @param farthest gives, for the id of the log, the highest offset a durable view of it has applied, which was confirmed then: a
     *     smaller confirm offset would make that view look foreign; negative for none
     * @throws IOException as above
     */
    public static LogEngine open(
            Seams seams,
            LogLoopConfig config,
            Replication replication,
            LongUnaryOperator checkpoints,
            LongUnaryOperator farthest)
            throws IOException {
        HeadFacts head = HeadFacts.read(seams.disk(), config.segmentSizeBytes());
        LogLoopConfig fitting = config.forSegmentsOf(head.segmentSizeBytes());
        try (Opened opened = new Opened()) {
            LogStorage storage = LogStorage.open(seams.disk(), head.segmentSizeBytes(), fitting.fillAheadBytes());
            opened.add(storage::close);
            SyncedToMark mark = SyncedToMark.open(seams.disk());
            opened.add(mark);
            Optional<EpochFile> epochs = EpochFile.read(seams.disk());
            boolean alone = mark.last()
                    .filter(last -> head.logId() != 0 && last.logId() == head.logId())
                    .map(Mark::alone)
                    .orElse(false);
            long checkpoint = checkpoints.applyAsLong(head.logId());
            RecoveryReport report = new Recovery(storage, mark, head.logId(), seams.bootId()).run(checkpoint, epochs);
            storage.endAt(report.endOffset());
            long logId = report.endOffset() == report.startOffset() ? 0 : head.logId();
            long confirmed = alone && replication.follows()
                    ? report.endOffset()
                    : Math.max(report.startOffset(), farthest.applyAsLong(head.logId()));
            LogEngine engine = new LogEngine(
                    seams, config, replication, new Recovered(storage, mark, report, logId, confirmed, alone));
            engine.markStart(seams.bootId(), config.flushMode());
            opened.keep();
            return engine;
        }
    }

    /** Whether another node wrote the end of the log, or writes it. */
    private boolean isFollowed() {
        return replication.follows() || report.followed();
    }

    private boolean isAlone() {
        return confirmedAlone || replication.holders() == Replication.Holders.ALONE;
    }

    /** Whether this node may have confirmed all that was found without asking anybody, in an earlier run. */
    public boolean confirmedAlone() {
        return confirmedAlone;
    }

    /** That all that was found is confirmed is kept elsewhere, durably: the mark says it no more. Blocks; before anything runs. */
    public void confirmedIsKept() throws IOException {
        Optional<Mark> last = mark.last();
        if (last.isPresent()) {
            mark.write(last.get().ofOneThatAsks());
            mark.force();
        }
        flusher.alone(false);
    }

    /** From here on a stop without a word is an unclean one. */
    private void markStart(long bootId, FlushMode mode) throws IOException {
        mark.write(new Mark(
                horizon.logId(),
                report.endOffset(),
                report.generation(),
                report.epoch(),
                report.storeTimestampMs(),
                bootId,
                false,
                mode == FlushMode.ASYNC,
                false,
                !replication.mayAppend(),
                isFollowed(),
                isAlone(),
                report.lostBytes()));
        mark.force();
        if (!replication.mayAppend()) {
            flusher.startReceiving();
        }
    }

    /** The log as readers see it. */
    public CommitLog log() {
        return log;
    }

    /** What recovery found. */
    public RecoveryReport report() {
        return report;
    }

    /** Whether not even a fact finds room. Any thread. */
    public boolean isOutOfSpace() {
        return storage.ballast().isSpent();
    }

    /** The door for appends. */
    public AppendGate gate() {
        return gate;
    }

    /** The door for what another node's log holds. */
    public ReceiveInbox received() {
        return received;
    }

    /**
     * Takes queue ends over; before the loops start. After a start that may have lost an acknowledged tail, and on a node that
     * followed another one, every queue goes on behind a gap once this node begins an epoch, so that no offset a consumer may have seen
     * is given to another message (R23). Blocks.
     *
     * @throws IOException when what lies behind the confirm offset cannot be read
     */
    public void seed(QueueLevels levels) throws IOException {
        tail.seed(levels);
        tail.leaveGap(report.queueOffsetGap());
        if (report.mayHaveLostTail() || (report.queueOffsetGap() > 0 && !replication.follows())) {
            LOG.warn(
                    "event=tail_may_be_lost endOffset={} lostBytesAtMost={} followed={} queueOffsetGap={}",
                    report.endOffset(),
                    report.lostBytes(),
                    report.followed(),
                    report.queueOffsetGap());
        }
    }

    /**
     * A step for the preparer that writes what another node holds over damaged bytes (R28).
     *
     * @param done told on the preparer where what was written ends, or the offset itself when nothing was
     */
    public PacedTask mending(long offset, ByteBuffer units, int epoch, long limitOffset, LongConsumer done) {
        return () -> {
            long end = offset;
            try {
                end = LogPatch.inPlace(storage, offset, units, epoch, Math.min(limitOffset, horizon.confirm()));
            } finally {
                done.accept(end);
            }
            return false;
        };
    }

    /** The loop that writes the log. */
    public LogLoop logLoop() {
        return loop;
    }

    /** The loop that makes it durable. */
    public Flusher flusher() {
        return flusher;
    }

    /** The loop that makes files ready, and does slow work on them. */
    public Preparer preparer() {
        return preparer;
    }

    /** Wakes the log loop. */
    public Bell logBell() {
        return logBell;
    }

    /** Wake the other loops. */
    public LogLoop.Bells bells() {
        return bells;
    }

    /** Flushes the rest and marks the end clean, unless the log has failed; after all loops have stopped. Blocks. */
    public void closeClean() throws IOException {
        if (loop.hasFailed()) {
            return;
        }
        flusher.closeClean();
        Flusher.Flushed reached = flusher.flushed();
        if (flusher.failure() == null && !flusher.isCutting()) {
            horizon.synced(reached.endOffset());
            replication.flushed(reached.generation(), reached.endOffset());
            replication.advance();
            horizon.confirm(Math.max(horizon.confirm(), replication.confirmOffset()));
        }
    }

    /** Closes the files; last. */
    public void close() throws IOException {
        try {
            mark.close();
        } finally {
            storage.close();
        }
    }
}
