package dev.perigee.store.append;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.fact.QueueEnds;
import dev.perigee.protocol.fact.TopicDeleted;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.store.frame.FrameLayout;
import dev.perigee.store.frame.FrameSeal;
import dev.perigee.store.log.LogHorizon;
import dev.perigee.store.log.LogStorage;
import dev.perigee.store.tail.BatchWriter;
import dev.perigee.store.tail.EpochFrames;
import dev.perigee.store.tail.QueueOffsets;
import dev.perigee.store.tail.QueueStarts;
import dev.perigee.store.tail.StoreTime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The end of the log: where the next frame goes, which queue offset and time it gets, and when a new segment begins.
 * Everything here is a projection of the log's bytes (R15).
 */
@OwnedBy("log loop")
public final class LogTail {
    private final LogStorage storage;
    private final LogHorizon horizon;
    private final StoreTime time;
    private final EpochFrames epochFrames;
    private final QueueStarts starts = new QueueStarts();
    private final QueueOffsets offsets = new QueueOffsets(starts::of);
    /** What the epoch must say first: where queues go on after a loss. */
    private List<Fact> startFacts = List.of();

    private final FrameSeal seal = new FrameSeal();
    private final BatchWriter writer;
    private final ByteBuffer blank = ByteBuffer.allocateDirect(FrameLayout.HEAD_BYTES);
    private long end;
    private long segmentEnd;
    private long batchTimeMs;
    private long heldUntil;

    public LogTail(LogStorage storage, LogHorizon horizon, StoreTime time, EpochFrames epochFrames) {
        this.storage = storage;
        this.horizon = horizon;
        this.time = time;
        this.epochFrames = epochFrames;
        this.writer = new BatchWriter(storage);
        this.end = horizon.end();
        this.segmentEnd = storage.roomEnd();
        writer.startAt(end);
    }

    /** Takes over what the view knows that folded the whole log. Before anything is appended. */
    public void seed(QueueLevels levels) {
        starts.copyOf(levels.starts());
        levels.forEachEnd(offsets::set);
    }

    /** As {@link #seed}, for a log that may have lost a tail: every queue goes on behind a gap, and the log says so. */
    public void seedBehindGap(QueueLevels levels, long gap) {
        starts.copyOf(levels.starts());
        startFacts = LostTail.facts(levels, gap);
    }

    /** Writes the frame that begins this node's epoch: a head when a segment begins here, an epoch start otherwise. */
    void beginEpoch() throws IOException {
        batchTimeMs = time.next();
        epochFrames.begin(end);
        horizon.epoch(epochFrames.logId(), epochFrames.number());
        if (end == segmentEnd) {
            startSegment();
        } else {
            ByteBuffer frame = epochFrames.epochStarted();
            if (!fits(frame.remaining())) {
                roll();
            } else {
                place(frame);
            }
        }
        for (Fact fact : startFacts) {
            ByteBuffer frame = epochFrames.of(fact);
            if (!fits(frame.remaining())) {
                roll();
            }
            long offset = end;
            place(frame);
            fold(fact, offset);
            heldUntil = end;
        }
        startFacts = List.of();
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
            fold(fact, request.physicalOffset(0));
        }
    }

    private void fold(Fact fact, long factOffset) {
        starts.fold(fact, factOffset);
        if (fact instanceof TopicDeleted deleted) {
            offsets.forget(deleted.topic());
        } else if (fact instanceof QueueEnds ends) {
            ends.ends().forEach((queueId, next) -> offsets.raise(ends.topic(), queueId, next));
        }
    }

    /**
     * Whether the unit is for a topic whose deletion is in the log: a message that passed its checks before, or a restated
     * queue end that was decided before.
     */
    boolean isForDeletedTopic(AppendRequest request) {
        Fact fact = request.fact();
        if (fact == null) {
            return starts.isClosed(request.topic());
        }
        return fact instanceof QueueEnds ends && starts.isClosed(ends.topic());
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
        writer.flush();
        blank.clear();
        blank.putInt((int) (segmentEnd - end)).putInt(FrameLayout.BLANK_MAGIC).flip();
        storage.write(blank, end);
        end = segmentEnd;
        startSegment();
    }

    private void startSegment() throws IOException {
        storage.roll();
        segmentEnd = storage.roomEnd();
        writer.startAt(end);
        place(epochFrames.logHead());
    }

    private void place(ByteBuffer frame) throws IOException {
        int size = frame.remaining();
        seal.unit(epochFrames.number(), batchTimeMs, horizon.synced());
        seal.seal(frame, 0, offsets.take(SystemTopic.FACTS, FactCodec.QUEUE_ID, 1), end, false);
        writer.add(frame, 0, size);
        end += size;
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
        return epochFrames.number();
    }

    long lastTimestampMs() {
        return time.last();
    }

    LogHorizon horizon() {
        return horizon;
    }
}
