package dev.perigee.store.append;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.fact.QueueEnds;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.message.TopicInterner;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.epoch.EpochFold;
import dev.perigee.store.epoch.EpochTable;
import dev.perigee.store.frame.FrameLayout;
import dev.perigee.store.frame.FrameSeal;
import dev.perigee.store.frame.FrameVerifier.Verdict;
import dev.perigee.store.log.LogHorizon;
import dev.perigee.store.log.LogScan;
import dev.perigee.store.log.LogStorage;
import dev.perigee.store.receive.ReceiveRefusedException;
import dev.perigee.store.receive.ReceiveRefusedException.Reason;
import dev.perigee.store.receive.ReceivedUnits;
import dev.perigee.store.receive.UnitVerifier;
import dev.perigee.store.tail.BatchWriter;
import dev.perigee.store.tail.EpochFrames;
import dev.perigee.store.tail.Flusher;
import dev.perigee.store.tail.LostTail;
import dev.perigee.store.tail.QueueLevels;
import dev.perigee.store.tail.QueueOffsets;
import dev.perigee.store.tail.StoreTime;
import dev.perigee.store.tail.TailQueues;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The end of the log: where the next frame goes, which queue offset and time it gets, and when a new segment begins. There are
 * two ways into it, appending units of this node and receiving what another node sealed, and one way back, the cut. Everything
 * here is a projection of the log's bytes (R15).
 */
@OwnedBy("log loop")
public final class LogTail {
    /** Told when an empty log becomes that of the node it receives from. On the log loop. */
    @FunctionalInterface
    public interface AdoptListener {
        /** From here on the log has this name, and files of this size. */
        void adopted(long logId, int segmentSizeBytes);
    }

    private final LogStorage storage;
    private final LogHorizon horizon;
    private final StoreTime time;
    private final EpochFrames epochFrames;
    private final TailQueues queues;
    private final QueueOffsets offsets;
    private final UnitVerifier verifier = new UnitVerifier();
    private final MessageFrame received = new MessageFrame(new TopicInterner());
    private final AdoptListener adoptListener;
    /** How many offsets of each queue the epoch must leave out first; 0 for none. */
    private long startGap;

    private final FrameSeal seal = new FrameSeal();
    private final BatchWriter writer;
    private final ByteBuffer blank = ByteBuffer.allocateDirect(FrameLayout.HEAD_BYTES);
    private long end;
    private long segmentEnd;
    /** Where the last frame ends, before the blank if one follows; 0 when that is not known. */
    private long lastFrameEnd;

    private long batchTimeMs;
    private long heldUntil;
    private long epochBegunTo;

    public LogTail(
            LogStorage storage,
            LogHorizon horizon,
            StoreTime time,
            EpochFrames epochFrames,
            AdoptListener adoptListener) {
        this.adoptListener = adoptListener;
        this.queues = new TailQueues(horizon);
        this.offsets = queues.offsets();
        this.storage = storage;
        this.horizon = horizon;
        this.time = time;
        this.epochFrames = epochFrames;
        this.writer = new BatchWriter(storage);
        this.end = horizon.end();
        this.segmentEnd = storage.roomEnd();
        writer.startAt(end);
    }

    /**
     * Takes over what the view knows that folded the log up to the confirm offset, and folds in what lies behind. Before anything
     * is appended or received. Blocks.
     */
    public void seed(QueueLevels levels) throws IOException {
        queues.seed(levels.starts());
        levels.forEachEnd(offsets::set);
        walk(horizon.confirm(), queues::frame);
    }

    /**
     * Says that the log may have lost a tail: with this node's epoch every queue goes on behind a gap, and the log says so. Before the
     * epoch begins; of a node that does not begin one it asks nothing.
     *
     * @param offsets how many queue offsets to leave out
     */
    public void leaveGap(long offsets) {
        startGap = offsets;
    }

    /** Sees the frames of this log. */
    private interface FrameVisitor {
        void frame(MessageFrame frame, long offset, @Nullable Fact fact);
    }

    /** Shows what is written from an offset to the end. Blocks. */
    private void walk(long fromOffset, FrameVisitor visitor) throws IOException {
        if (fromOffset == end) {
            return;
        }
        LogScan scan = new LogScan(storage);
        long at = fromOffset;
        while (at < end) {
            Verdict verdict = scan.check(at);
            if (verdict == Verdict.FRAME) {
                ByteBuffer bytes = scan.bytes(at, scan.found().sizeBytes());
                visitor.frame(received.wrap(bytes, 0), at, EpochFold.factOf(bytes, 0));
            } else if (verdict != Verdict.BLANK) {
                throw new IOException(
                        "the log ends at " + end + ", but at " + at + " stands no sound frame: " + verdict);
            }
            at += scan.found().sizeBytes();
        }
    }

    /**
     * Writes the frame that begins this node's epoch: an epoch start, or the head of the next segment where that does not fit
     * into the one at hand. The blank between is of the epoch before: a replica that has it and not the head knows of no other.
     *
     * @param number of the epoch; the one that follows the last in the log, if that is larger
     * @param queueOffsetGap how many offsets each queue leaves out; 0 for none
     */
    void beginEpoch(int number, long queueOffsetGap) throws IOException {
        batchTimeMs = time.next();
        EpochTable before = horizon.epochs();
        int next = Math.max(before.last().map(Epoch::number).orElse(0), horizon.epoch()) + 1;
        Epoch own = epochFrames.begin(Math.max(number, next), end);
        ByteBuffer started = epochFrames.epochStarted();
        if (end < segmentEnd && !fits(started.remaining())) {
            writeBlank();
            own = epochFrames.beginAt(end);
        }
        horizon.epochs(before.add(own));
        horizon.epoch(epochFrames.logId(), own.number());
        if (end == segmentEnd) {
            startSegment();
        } else {
            place(started);
        }
        List<Fact> startFacts = queueOffsetGap == 0 ? List.of() : LostTail.facts(queues.levels(), queueOffsetGap);
        for (Fact fact : startFacts) {
            ByteBuffer frame = epochFrames.of(fact);
            if (!fits(frame.remaining())) {
                roll();
            }
            long offset = end;
            place(frame);
            queues.fact(fact, offset);
            heldUntil = end;
        }
        epochBegunTo = end;
    }

    /** How many offsets the first epoch is to leave out; asked once. */
    long takeGap() {
        long gap = startGap;
        startGap = 0;
        return gap;
    }

    /** Where the frames end that began the epoch. */
    long epochBegunTo() {
        return epochBegunTo;
    }

    /**
     * No message may be taken before everything below is on the disk: a queue offset must not be given away before the gap
     * in front of it is durable, or a second loss would give it away again.
     */
    long heldUntil() {
        return heldUntil;
    }

    /** Starts a batch: its frames share one store timestamp, up to the first that takes its own, and so on. */
    void beginBatch() {
        batchTimeMs = time.next();
    }

    /** Appends a unit to the batch, in one segment. Its bytes may be reused when this returns. */
    void append(AppendRequest request, long nowMs) throws IOException {
        int size = request.sizeBytes();
        if (!fits(size)) {
            roll();
        }
        if (request.hasOwnTime()) {
            batchTimeMs = time.next();
        }
        ByteBuffer memory = request.memory();
        int frames = request.frameCount();
        long first = offsets.take(request.topic(), request.queueId(), frames);
        request.placed(end, first, batchTimeMs, nowMs);
        seal.unit(epochFrames.number(), batchTimeMs, horizon.synced());
        int position = request.position();
        if (frames == 1) {
            seal.seal(memory, position, first, end, false);
        } else {
            int[] starts = new int[frames];
            for (int i = 0; i < frames; i++) {
                int at = position + starts[i];
                seal.seal(memory, at, first + i, end + starts[i], i + 1 < frames);
                if (i + 1 < frames) {
                    starts[i + 1] = starts[i] + memory.getInt(at);
                }
            }
            request.frameStarts(starts);
        }
        writer.add(memory, position, size);
        end += size;
        Fact fact = request.fact();
        if (fact != null) {
            queues.fact(fact, request.physicalOffset(0));
            fold(fact, end);
        }
    }

    private void fold(Fact fact, long factEnd) {
        horizon.replicaSets(horizon.replicaSets().with(fact, factEnd));
        horizon.members(horizon.members().with(fact, factEnd));
    }

    /**
     * The name of the log that bytes are of, which an empty log takes over.
     *
     * @throws ReceiveRefusedException when they are to be the first of an empty log, and cannot be
     */
    long logIdOf(ByteBuffer bytes, long offset) throws ReceiveRefusedException {
        return isEmpty() && bytes.hasRemaining() ? beginning(bytes, offset).logId() : epochFrames.logId();
    }

    /** The name of this log. */
    long logId() {
        return epochFrames.logId();
    }

    private UnitVerifier.End beginning(ByteBuffer bytes, long offset) throws ReceiveRefusedException {
        if (offset < end) {
            throw new ReceiveRefusedException(Reason.PLACE, end, "a log that begins here or later", "one of " + offset);
        }
        return verifier.beginning(bytes, offset);
    }

    /**
     * Takes in sealed units of another log at the end of this one, or what follows them in a batch: all of them or none. A blank
     * ends the segment, and a head begins the next, where the bytes say (R30). An empty log becomes that of the sender, of that
     * name and with files of that size.
     *
     * @param bytes from position to limit, as in {@code ReceivedBytes}; left as they were
     * @param offset the offset of the first byte in the log
     * @throws ReceiveRefusedException when they are not what belongs here; nothing was written
     */
    void receive(ByteBuffer bytes, long offset) throws ReceiveRefusedException, IOException {
        if (!bytes.hasRemaining()) {
            checkPlace(offset);
            return;
        }
        boolean adopts = isEmpty();
        UnitVerifier.End place = adopts
                ? beginning(bytes, offset)
                : new UnitVerifier.End(
                        epochFrames.logId(), end, lastFrameEnd, storage.segmentSizeBytes(), horizon.epochs());
        ReceivedUnits units = verifier.verify(place, bytes, offset);
        if (adopts) {
            adopt(place);
        }
        writeFrames(units, bytes);
        if (units.endsWithBlank()) {
            writeBlank();
        }
    }

    private void checkPlace(long offset) throws ReceiveRefusedException {
        if (offset != end && !isEmpty()) {
            throw new ReceiveRefusedException(
                    Reason.PLACE, end, "a heartbeat for the end of the log", "one for offset " + offset);
        }
    }

    /** Whether there is not a byte in the log. */
    private boolean isEmpty() {
        return end == storage.startOffset();
    }

    private void adopt(UnitVerifier.End beginning) throws IOException {
        storage.adopt(beginning.offset(), beginning.segmentSizeBytes());
        epochFrames.adopt(beginning.logId(), beginning.segmentSizeBytes());
        end = beginning.offset();
        segmentEnd = end;
        writer.startAt(end);
        horizon.epoch(beginning.logId(), 0);
        horizon.end(end);
        horizon.synced(end);
        horizon.confirm(end);
        adoptListener.adopted(beginning.logId(), beginning.segmentSizeBytes());
    }

    private void writeFrames(ReceivedUnits units, ByteBuffer bytes) throws IOException {
        int from = bytes.position();
        int to = from + units.frameBytes();
        if (from == to) {
            return;
        }
        if (end == segmentEnd) {
            nextSegment();
        }
        if (!units.epochs().equals(horizon.epochs())) {
            horizon.epochs(units.epochs());
            units.epochs().last().ifPresent(last -> horizon.epoch(epochFrames.logId(), last.number()));
        }
        for (int at = from; at < to; at += received.sizeBytes()) {
            Fact fact = units.facts().get(at);
            queues.frame(received.wrap(bytes, at), end + at - from, fact);
            if (fact != null) {
                fold(fact, end + at - from + received.sizeBytes());
            }
        }
        writer.add(bytes.duplicate().clear(), from, units.frameBytes());
        end += units.frameBytes();
        lastFrameEnd = end;
        time.atLeast(units.storeTimestampMs());
    }

    /**
     * Refuses a cut that may not be.
     *
     * @throws ReceiveRefusedException when confirmed bytes would go (R24), or the log does not reach as far
     */
    void checkCut(long endOffset) throws ReceiveRefusedException {
        if (endOffset < horizon.confirm()) {
            throw new ReceiveRefusedException(
                    Reason.CONFIRMED,
                    endOffset,
                    "a cut at or above the confirm offset " + horizon.confirm(),
                    "this one");
        }
        if (endOffset > end) {
            throw new ReceiveRefusedException(
                    Reason.PLACE, endOffset, "a cut in a log that ends at " + end, "this one");
        }
    }

    /**
     * Cuts the log, durably before it returns (R3), and takes back what the frames that go had made of the queues, the epochs and
     * the end. Blocks; on the flusher, to which the log loop has lent the tail, or where nothing runs.
     *
     * @param endOffset the end of a whole unit; {@link #checkCut} does not refuse it
     * @throws IOException when the disk fails, or what is to go cannot be read; nothing more can be written then
     */
    void truncateTo(long endOffset) throws IOException {
        if (endOffset < horizon.confirm() || endOffset > end) {
            throw new IllegalArgumentException("a cut to " + endOffset + " must lie between the confirm offset "
                    + horizon.confirm() + " and the end " + end);
        }
        writer.flush();
        TailQueues.Rollback rollback = queues.rollback(endOffset);
        walk(endOffset, rollback::frame);
        storage.cutTo(endOffset, end);
        rollback.finish();
        end = endOffset;
        segmentEnd = storage.roomEnd();
        lastFrameEnd = 0;
        writer.startAt(end);
        EpochTable kept = horizon.epochs().cutTo(end);
        horizon.epochs(kept);
        horizon.replicaSets(horizon.replicaSets().cutTo(end));
        horizon.members(horizon.members().cutTo(end));
        horizon.epoch(epochFrames.logId(), epochAt(end));
    }

    /**
     * Whether the unit is for a topic whose deletion is in the log: a message that passed its checks before, or a restated
     * queue end that was decided before.
     */
    boolean isForDeletedTopic(AppendRequest request) {
        Fact fact = request.fact();
        if (fact == null) {
            return queues.isClosed(request.topic());
        }
        return fact instanceof QueueEnds ends && queues.isClosed(ends.topic());
    }

    /** Whether not even a fact may be taken: the last bytes of the disk are for what is under way. */
    boolean isOutOfSpace() {
        return storage.ballast().isSpent();
    }

    /** Whether that many bytes go into the segment at hand. */
    boolean fits(int sizeBytes) {
        return end + sizeBytes + FrameLayout.HEAD_BYTES <= segmentEnd;
    }

    /** Closes the segment with a blank and begins the next with its head (R30). */
    private void roll() throws IOException {
        writeBlank();
        startSegment();
    }

    private void writeBlank() throws IOException {
        writer.flush();
        blank.clear();
        blank.putInt((int) (segmentEnd - end)).putInt(FrameLayout.BLANK_MAGIC).flip();
        storage.write(blank, end);
        end = segmentEnd;
    }

    private void startSegment() throws IOException {
        nextSegment();
        place(epochFrames.logHead(horizon.replicaSets().last(), horizon.members()));
    }

    private void nextSegment() throws IOException {
        writer.flush();
        storage.roll();
        segmentEnd = storage.roomEnd();
        writer.startAt(end);
    }

    private void place(ByteBuffer frame) throws IOException {
        int size = frame.remaining();
        seal.unit(epochFrames.number(), batchTimeMs, horizon.synced());
        seal.seal(frame, 0, offsets.take(SystemTopic.FACTS, FactCodec.QUEUE_ID, 1), end, false);
        writer.add(frame, 0, size);
        end += size;
    }

    /** Whether the disk is not so far behind that nothing may be taken until it has caught up. */
    boolean mayTakeMore() {
        return horizon.synced() >= heldUntil && end - horizon.synced() < Flusher.MAX_UNSYNCED_BYTES;
    }

    boolean isBatchFull() {
        return writer.isFull();
    }

    /** Writes what was appended since the last time. */
    void flushBatch() throws IOException {
        writer.flush();
    }

    long end() {
        return end;
    }

    int epoch() {
        return horizon.epoch();
    }

    /** The number of the epoch of the byte before an offset; 0 when there is none. */
    int epochAt(long offset) {
        return offset <= storage.startOffset()
                ? 0
                : horizon.epochs().cutTo(offset).last().map(Epoch::number).orElse(0);
    }

    long lastTimestampMs() {
        return time.last();
    }

    LogHorizon horizon() {
        return horizon;
    }
}
