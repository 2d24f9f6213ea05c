package dev.perigee.store.recovery;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.store.BootId;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.epoch.EpochFile;
import dev.perigee.store.epoch.EpochFold;
import dev.perigee.store.epoch.EpochTable;
import dev.perigee.store.epoch.MemberFacts;
import dev.perigee.store.epoch.ReplicaSets;
import dev.perigee.store.frame.FrameVerifier.Verdict;
import dev.perigee.store.log.LogNames;
import dev.perigee.store.log.LogScan;
import dev.perigee.store.log.LogStorage;
import dev.perigee.store.log.SegmentRange;
import dev.perigee.store.log.SyncedToMark;
import dev.perigee.store.log.SyncedToMark.Mark;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the end of the log at start, before views open and ports listen (R24): verifies every frame from the lowest
 * checkpoint on, cuts silently only what can be one unfinished flush, and refuses to start over anything else (R7).
 */
@OwnedBy("starting thread")
public final class Recovery {
    /**
     * Behind so many zeros nothing is looked for. Should power loss leave a larger hole with written sectors behind it,
     * these never come back to life: their epoch is older than that of whatever is written up to them.
     */
    private static final long ZEROS_THAT_END_BYTES = 64L << 20;

    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private final LogStorage storage;
    private final SyncedToMark mark;
    private final Optional<Mark> known;
    private final long logId;
    private final LogScan scan;
    private final EpochHistory history;
    private final long bootId;

    private long position;
    private long wholeEnd;
    private long lastFrameEnd;
    private long frames;
    private EpochFold epochs = new EpochFold(EpochTable.EMPTY);
    private ReplicaSets replicaSets = ReplicaSets.NONE;
    private MemberFacts members = MemberFacts.NONE;
    private int epoch;
    private long storeTimestampMs;
    private Verdict verdict = Verdict.END;
    private boolean lowerEpoch;
    /** Whether something was cut that a replica may have answered for. */
    private boolean cutUnproven;

    /**
     * @param logId the log's name as its first frame has it, 0 when that is unreadable; a mark of another log is ignored
     * @param bootId names this run of the machine, or {@link BootId#UNKNOWN}: then every start counts as one after a loss of power
     */
    public Recovery(LogStorage storage, SyncedToMark mark, long logId, long bootId) {
        this.storage = storage;
        this.mark = mark;
        this.known = mark.last().filter(last -> logId == 0 || last.logId() == 0 || last.logId() == logId);
        this.logId = logId;
        this.scan = new LogScan(storage);
        this.history = new EpochHistory(storage);
        this.bootId = bootId;
    }

    /**
     * Recovers the log.
     *
     * @param checkpointOffset the lowest offset a durable view has applied: surely on the disk; negative for none
     * @param kept the epochs as the last run left them; whatever is wrong with them makes them absent
     * @throws CorruptLogException when acknowledged bytes are damaged or missing
     * @throws LaterReleaseException when a later release wrote what this one does not understand
     */
    public RecoveryReport run(long checkpointOffset, Optional<EpochFile> kept) throws IOException {
        long finished = finishCut();
        long start = storage.startOffset();
        long durable = Math.max(syncedTo().orElse(start), checkpointOffset);
        boolean clean = known.map(Mark::clean).orElse(false);
        checkFiles(durable);
        long from = scanStart(start, checkpointOffset);
        checkHead(from);
        Optional<EpochFile> file = kept.filter(told -> told.logId() == logId && told.coveredTo() >= from);
        epochs = new EpochFold(epochsBefore(start, from, file));
        namedBefore(start, from, file);
        walk(from);
        if (durable > 0 && start > durable && wholeEnd == start) {
            throw new CorruptLogException(
                    start, "the oldest file begins here and is empty, but the log was synced up to offset " + durable);
        }
        boolean quietEnd = clean && wholeEnd == durable && position == wholeEnd && verdict == Verdict.END;
        long cutBytes = finished + (quietEnd ? 0 : cut(durable));
        EpochTable table = epochsUpTo(start, from);
        storage.fillUp();
        long rewritten = quietEnd ? 0 : rewrite();
        RecoveryReport report = report(from, cutBytes, rewritten, clean, table);
        LOG.info(
                "event=log_recovered endOffset={} scannedFrom={} frames={} cutBytes={} cutReason={} rewrittenBytes={}"
                        + " clean={} epoch={}",
                report.endOffset(),
                report.scannedFrom(),
                report.frames(),
                report.cutBytes(),
                report.cutReason(),
                report.rewrittenBytes(),
                report.clean(),
                report.epoch());
        return report;
    }

    /** Up to where bytes were on the disk; empty when no mark says so, also where the log was empty wherever it was to begin. */
    private OptionalLong syncedTo() {
        return known.isPresent() && known.get().epoch() != Mark.NO_EPOCH
                ? OptionalLong.of(known.get().syncedTo())
                : OptionalLong.empty();
    }

    /**
     * A cut that had begun is finished first (R3): what it had not reached yet looks sound and acknowledged.
     *
     * @return how many bytes were not zero and are gone
     */
    private long finishCut() throws IOException {
        if (!known.map(Mark::cutting).orElse(false)) {
            return 0;
        }
        long end = Math.max(known.get().syncedTo(), storage.startOffset());
        if (end >= storage.roomEnd()) {
            return 0;
        }
        LOG.warn("event=log_cut_finished endOffset={}", end);
        return storage.cutTo(end, storage.writtenEnd(end, Long.MAX_VALUE));
    }

    /** The epochs of what the walk does not see: those the last run left, or else what the log says. */
    private EpochTable epochsBefore(long start, long from, Optional<EpochFile> kept) throws IOException {
        if (from == start) {
            return EpochTable.EMPTY;
        }
        Optional<EpochTable> table =
                kept.map(file -> file.epochs().trimTo(start).cutTo(from));
        if (table.isPresent() && endsAsMarked(table.get(), from) && history.agrees(table.get(), start, from)) {
            return table.get();
        }
        LOG.info("event=epochs_made_anew reason={} to={}", table.isPresent() ? "log_differs" : "no_file", from);
        return history.anew(start, from);
    }

    /**
     * Whom the log names in what the walk does not see: as the last run left it, or else by the head of the file in which the walk
     * begins, and the facts behind it. Where the file knows of a later one only, the walk meets that.
     */
    private void namedBefore(long start, long from, Optional<EpochFile> kept) throws IOException {
        if (from == start) {
            return;
        }
        if (kept.isPresent()) {
            replicaSets = ReplicaSets.of(kept.get().inSync()).cutTo(from);
            members = MemberFacts.of(kept.get().members()).cutTo(from);
            return;
        }
        long at = from - from % storage.segmentSizeBytes();
        while (at < from && scan.check(at) == Verdict.FRAME) {
            Fact fact = factAt(at);
            LaterReleaseException.check(fact, at);
            named(fact, at + scan.found().sizeBytes());
            at += scan.found().sizeBytes();
        }
    }

    private void named(@Nullable Fact fact, long factEnd) {
        replicaSets = replicaSets.with(fact, factEnd);
        members = members.with(fact, factEnd);
    }

    private @Nullable Fact factAt(long offset) {
        return EpochFold.factOf(scan.bytes(offset, scan.found().sizeBytes()), 0);
    }

    /** Where the walk begins at the mark, the mark knows the epoch of the byte before. */
    private boolean endsAsMarked(EpochTable table, long from) {
        int marked =
                known.filter(last -> last.syncedTo() == from).map(Mark::epoch).orElse(0);
        return marked <= Mark.NO_EPOCH || table.last().map(Epoch::number).orElse(0) == marked;
    }

    /** The epochs up to the end. What the walk saw counts more than what was there before. */
    private EpochTable epochsUpTo(long start, long from) throws IOException {
        if (epochs.objection().isEmpty()) {
            return epochs.table().cutTo(wholeEnd);
        }
        LOG.warn("event=epochs_contradicted objection={}", epochs.objection().get());
        return (from == start ? epochs.table() : history.anew(start, wholeEnd)).cutTo(wholeEnd);
    }

    /** Everything below {@code durable} was on the disk once: no file may be missing or shorter than that. */
    private void checkFiles(long durable) throws IOException {
        long present = storage.presentTo(durable);
        if (present == durable) {
            return;
        }
        if (present == storage.roomEnd()) {
            throw new CorruptLogException(present, "its files end here, but it was synced up to offset " + durable);
        }
        long segmentStart = present - present % storage.segmentSizeBytes();
        walk(segmentStart); // what is given up begins with a whole frame
        throw new CorruptLogException(
                wholeEnd,
                LogNames.fileName(segmentStart) + " ends at offset " + present
                        + ", but the log was synced up to offset " + durable);
    }

    /** The file in which the walk begins must at least begin as it did: frames before the walk are not looked at. */
    private void checkHead(long from) throws IOException {
        long segmentStart = from - from % storage.segmentSizeBytes();
        if (from > segmentStart && scan.check(segmentStart) != Verdict.FRAME) {
            throw new CorruptLogException(
                    segmentStart, "no sound frame begins the file, but the log was synced up to offset " + from);
        }
        if (from > segmentStart) {
            LaterReleaseException.check(factAt(segmentStart), segmentStart);
        }
    }

    private long scanStart(long start, long checkpointOffset) {
        if (logId == 0 || known.isEmpty() || checkpointOffset < start) {
            return start;
        }
        return Math.max(start, Math.min(checkpointOffset, known.get().syncedTo()));
    }

    /** Goes from frame to frame until something is no whole, sound frame of the right place and epoch. */
    private void walk(long from) throws IOException {
        position = from;
        wholeEnd = from;
        lastFrameEnd = 0;
        epoch = known.filter(last -> last.syncedTo() == from).map(Mark::epoch).orElse(0);
        storeTimestampMs = known.map(Mark::storeTimestampMs).orElse(0L);
        boolean inUnit = false;
        while (position < storage.roomEnd()) {
            verdict = scan.check(position);
            if (verdict == Verdict.BLANK && !inUnit) {
                position += scan.found().sizeBytes();
                wholeEnd = position;
            } else if (verdict == Verdict.FRAME && scan.found().epoch() >= epoch) {
                boolean atHead = position % storage.segmentSizeBytes() == 0;
                EpochHistory.follow(scan, epochs, position, atHead, lastFrameEnd);
                Fact fact = factAt(position);
                LaterReleaseException.check(fact, position);
                named(fact, position + scan.found().sizeBytes());
                frames++;
                epoch = scan.found().epoch();
                storeTimestampMs = Math.max(storeTimestampMs, scan.found().storeTimestampMs());
                position += scan.found().sizeBytes();
                lastFrameEnd = position;
                inUnit = scan.found().unitContinues();
                wholeEnd = inUnit ? wholeEnd : position;
            } else {
                lowerEpoch = verdict == Verdict.FRAME;
                return;
            }
        }
        verdict = Verdict.END;
    }

    private long cut(long durable) throws IOException {
        if (wholeEnd < durable) {
            throw new CorruptLogException(wholeEnd, describe() + ", but the log was synced up to offset " + durable);
        }
        long writtenEnd = storage.writtenEnd(wholeEnd, ZEROS_THAT_END_BYTES);
        if (!known.map(Mark::received).orElse(false)) {
            checkWitnesses(writtenEnd);
        } else if (known.get().followed() && mayHaveLostPower(known.get()) && writtenEnd > wholeEnd) {
            rememberCut(known.get());
        }
        return storage.cutTo(wholeEnd, writtenEnd);
    }

    /** Where a run of the machine has no name, the machine may have started anew since. */
    private boolean mayHaveLostPower(Mark last) {
        return bootId == BootId.UNKNOWN || last.bootId() != bootId;
    }

    /**
     * What a replica cuts after a loss of power need not be torn: flushed bytes behind the mark may have rotted, and nothing there tells
     * them from others. So it may have forgotten what it answered for (R5), and knows that before anything goes. After a kill alone all that
     * was written whole is there.
     */
    private void rememberCut(Mark last) throws IOException {
        cutUnproven = true;
        mark.write(last.withLostBytes(lostBytes(last.clean())));
        mark.force();
    }

    /**
     * A sound frame behind the end that was written when all before it was on the disk proves that the damage is no unfinished
     * flush. Only of frames that were written here: others tell of the disk of their writer.
     */
    private void checkWitnesses(long writtenEnd) throws IOException {
        long witness = scan.findFrame(wholeEnd, writtenEnd);
        while (witness >= 0) {
            checkWitness(witness);
            witness = scan.findFrame(witness + Math.max(1, scan.found().sizeBytes()), writtenEnd);
        }
        for (SegmentRange later :
                storage.ranges()) { // a file that was cut short may end in more zeros than are looked through
            if (later.startOffset() >= writtenEnd && scan.check(later.startOffset()) == Verdict.FRAME) {
                checkWitness(later.startOffset());
            }
        }
    }

    private void checkWitness(long witness) throws CorruptLogException {
        if (witness - scan.found().unsyncedBytes() > position) {
            throw new CorruptLogException(
                    wholeEnd, describe() + ", but the sound frame at offset " + witness + " belongs to a later flush");
        }
    }

    private String describe() {
        return lowerEpoch
                ? "a frame of an older epoch stands at " + position
                : "no sound frame stands at " + position + " (" + verdict.name().toLowerCase(Locale.ROOT) + ")";
    }

    /** After a kill the unsynced tail is readable but not durable; after a failed force its pages only look clean. */
    private long rewrite() throws IOException {
        long segmentStart = wholeEnd - wholeEnd % storage.segmentSizeBytes();
        OptionalLong synced = syncedTo();
        long from = known.isPresent() ? synced.orElse(storage.startOffset()) : segmentStart;
        from = Math.min(Math.max(from, storage.startOffset()), wholeEnd);
        storage.rewrite(from, wholeEnd);
        storage.force(synced.isPresent() ? from : storage.startOffset(), wholeEnd);
        return wholeEnd - from;
    }

    private RecoveryReport report(long from, long cutBytes, long rewritten, boolean clean, EpochTable table) {
        long generation = known.map(Mark::generation).orElse(0L) + (cutBytes > 0 ? 1 : 0);
        return new RecoveryReport(
                storage.startOffset(),
                wholeEnd,
                from,
                frames,
                cutBytes,
                cutBytes > 0 ? describe() : "",
                rewritten,
                clean,
                known.isPresent() && known.get().followed(),
                lostBytes(clean),
                Math.max(
                        Math.max(epoch, Mark.NO_EPOCH),
                        table.last().map(Epoch::number).orElse(0)),
                table,
                replicaSets.cutTo(wholeEnd),
                members.cutTo(wholeEnd),
                storeTimestampMs,
                generation);
    }

    private long lostBytes(boolean clean) {
        if (known.isEmpty()) {
            return 0;
        }
        boolean unflushed = known.get().async() && !clean && mayHaveLostPower(known.get());
        long lost = known.get().lostBytes() + (unflushed ? RecoveryReport.MAX_LOST_BYTES : 0);
        return cutUnproven ? Math.max(lost, RecoveryReport.MAX_LOST_BYTES) : lost;
    }

    /** The mark the recovery worked with. */
    public SyncedToMark mark() {
        return mark;
    }
}
