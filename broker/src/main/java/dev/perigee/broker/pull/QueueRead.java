package dev.perigee.broker.pull;

import dev.perigee.broker.filter.MessageFilter;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.FrameCheck;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.remoting.transport.Payload;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.SegmentLease;
import dev.perigee.store.queue.ConsumeQueue;
import dev.perigee.store.queue.EntryVisitor;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One read of one queue: collects matching messages up to the limits, as runs of bytes that lie next to each other in the
 * log, then borrows the runs. Used once.
 */
@OwnedBy("reading thread")
final class QueueRead implements EntryVisitor {
    /** Entries looked at per read at least, whether they match or not. */
    static final int MIN_SCAN = 800;

    /** Runs that lie within so much are asked about at once, whatever lies between them. */
    private static final int SPAN_BYTES = 1 << 20;

    /** As {@code trustedFrom}: nothing is asked about, and the read may wait for the disk. */
    static final long WHOLE_LOG = 0;

    private static final int FRAME_HEAD_BYTES = MessageFrame.PHYSICAL_OFFSET_AT + Long.BYTES;

    private final CommitLog log;
    private final MessageFilter filter;
    private final ReadLimits limits;
    private final long trustedFrom;
    private final long verifyBefore;
    private final @Nullable Evaluation evaluation;
    private final long[] runStarts;
    private final int[] runSizes;
    private int runs;
    private int messages;
    private int sizeBytes;
    private long lastPhysicalOffset;
    private boolean full;
    private @Nullable ConsumeQueue reading;
    /** A message that was to be looked at has gone from the log. */
    private boolean vanished;

    private ReadStatus status = ReadStatus.NO_MATCHED_MESSAGE;
    private long nextOffset;
    private @Nullable Payload payload;

    /**
     * @param trustedFrom frames from here in the log on are taken to be in memory; when one before it is not, the read ends
     *     as NOT_LOADED instead of waiting for the disk
     * @param verifyBefore frames before this may have come from the disk since they were written, and are verified
     */
    QueueRead(CommitLog log, MessageFilter filter, ReadLimits limits, long trustedFrom, long verifyBefore) {
        this.log = log;
        this.filter = filter;
        this.limits = limits;
        this.trustedFrom = trustedFrom;
        this.verifyBefore = verifyBefore;
        this.evaluation = filter.needsProperties() ? new Evaluation(log, filter, trustedFrom) : null;
        this.runStarts = new long[limits.count()];
        this.runSizes = new int[limits.count()];
    }

    /**
     * Reads from an offset inside the queue.
     *
     * @throws IllegalStateException when an entry from a file or a checkpoint does not lead to a message of the queue: the
     *     file or the log is damaged, and its bytes must not be served
     * @throws DamagedLogException when a frame is not as it was written (R28)
     */
    void read(ConsumeQueue queue, long fromOffset) {
        boolean proven = fromOffset >= queue.foldedFrom();
        reading = queue;
        int examined = queue.read(fromOffset, Math.max(MIN_SCAN, limits.count()), this);
        nextOffset = fromOffset + (full ? examined - 1 : examined);
        if (status == ReadStatus.NOT_LOADED) {
            return;
        }
        if (examined == 0) {
            status = ReadStatus.MESSAGE_WAS_REMOVING;
        } else if (messages > 0 && !isLoaded()) {
            status = ReadStatus.NOT_LOADED;
            return;
        } else if (messages > 0) {
            borrow();
        }
        if (!proven && !isSound(queue, fromOffset)) {
            release();
            throw disagreement(queue, fromOffset);
        }
        verify();
        if (status == ReadStatus.MESSAGE_WAS_REMOVING) {
            nextOffset = Math.max(queue.minOffset(), fromOffset); // behind what went; the rest is still there
        }
    }

    @Override
    public boolean visit(long queueOffset, long physicalOffset, int frameBytes, long tagHash) {
        lastPhysicalOffset = physicalOffset;
        if (!filter.mayTake(tagHash)) {
            return true;
        }
        if (messages > 0 && sizeBytes + frameBytes > limits.sizeBytes()) {
            full = true;
            return false;
        }
        if (evaluation != null && !isWanted(evaluation, queueOffset, physicalOffset, frameBytes)) {
            return !full;
        }
        if (runs > 0 && runStarts[runs - 1] + runSizes[runs - 1] == physicalOffset) {
            runSizes[runs - 1] += frameBytes;
        } else {
            runStarts[runs] = physicalOffset;
            runSizes[runs] = frameBytes;
            runs++;
        }
        messages++;
        sizeBytes += frameBytes;
        return messages < limits.count();
    }

    /** Whether the filter wants a message by its properties; false also when the read ends before it. */
    private boolean isWanted(Evaluation looking, long queueOffset, long physicalOffset, int frameBytes) {
        Evaluation.Look look =
                looking.look(Objects.requireNonNull(reading, "not reading"), queueOffset, physicalOffset, frameBytes);
        full = look != Evaluation.Look.WANTED && look != Evaluation.Look.NOT_WANTED;
        if (messages == 0 && look == Evaluation.Look.NOT_LOADED) {
            status = ReadStatus.NOT_LOADED;
        } else if (messages == 0 && look == Evaluation.Look.GONE) {
            status = ReadStatus.MESSAGE_WAS_REMOVING;
            vanished = true;
        }
        return look == Evaluation.Look.WANTED;
    }

    static IllegalStateException disagreement(ConsumeQueue queue, long offset) {
        return new IllegalStateException("the file of queue " + queue + " does not agree with the log behind offset "
                + offset + "; it is built anew when consumequeue is deleted while the broker is stopped");
    }

    ReadStatus status() {
        return status;
    }

    /** Where the next read begins. */
    long nextOffset() {
        return nextOffset;
    }

    int messages() {
        return messages;
    }

    /** Where in the log the last message lies that was looked at; 0 before one was. */
    long lastPhysicalOffset() {
        return lastPhysicalOffset;
    }

    int sizeBytes() {
        return sizeBytes;
    }

    /** The messages; null unless FOUND. The caller hands it on or releases it. */
    @Nullable
    Payload payload() {
        return payload;
    }

    /** Entries this process made come from the log itself; others, or the log under them, may have rotted since. */
    private boolean isSound(ConsumeQueue queue, long fromOffset) {
        if (status == ReadStatus.MESSAGE_WAS_REMOVING && (runs > 0 || vanished)) {
            return queue.minOffset() > fromOffset; // trimmed meanwhile; else it was never there
        }
        long expected = fromOffset;
        for (int run = 0; payload != null && run < runs; run++) {
            ByteBuffer bytes = payload.buffer(run);
            int at = 0;
            while (at + FRAME_HEAD_BYTES <= runSizes[run]
                    && bytes.getInt(at) >= FRAME_HEAD_BYTES
                    && bytes.getInt(at + MessageFrame.QUEUE_ID_AT) == queue.queueId()
                    && bytes.getLong(at + MessageFrame.QUEUE_OFFSET_AT) >= expected
                    && bytes.getLong(at + MessageFrame.PHYSICAL_OFFSET_AT) == runStarts[run] + at) {
                expected = bytes.getLong(at + MessageFrame.QUEUE_OFFSET_AT) + 1;
                at += bytes.getInt(at);
            }
            if (at != runSizes[run]) {
                return false;
            }
        }
        return true;
    }

    private void verify() {
        if (payload == null || runStarts[0] >= verifyBefore) {
            return;
        }
        for (int run = 0; run < runs; run++) {
            ByteBuffer bytes = payload.buffer(run);
            int at = 0;
            while (at < runSizes[run]) {
                long offset = runStarts[run] + at;
                int size = runSizes[run] - at < MessageFrame.MIN_BYTES ? 0 : bytes.getInt(at);
                if (size < MessageFrame.MIN_BYTES
                        || size > runSizes[run] - at
                        || !FrameCheck.of(bytes, at, size, true).isSound()
                        || bytes.getLong(at + MessageFrame.PHYSICAL_OFFSET_AT) != offset) {
                    release();
                    throw new DamagedLogException(offset);
                }
                at += size;
            }
        }
    }

    private void release() {
        if (payload != null) {
            payload.release();
            payload = null;
        }
    }

    private boolean isLoaded() {
        long first = runStarts[0];
        long span = runStarts[runs - 1] + runSizes[runs - 1] - first;
        if (first >= trustedFrom) {
            return true; // written so lately that asking costs more than the rare wait
        }
        if (span > 0 && span <= SPAN_BYTES && log.isLoaded(first, (int) span)) {
            return true;
        }
        for (int run = 0; run < runs; run++) {
            if (!log.isLoaded(runStarts[run], runSizes[run])) {
                return false;
            }
        }
        return true;
    }

    private void borrow() {
        SegmentLease[] leases = new SegmentLease[runs];
        int borrowed = 0;
        try {
            SegmentLease lease = log.lease(runStarts[0], runSizes[0]);
            while (lease != null) {
                leases[borrowed++] = lease;
                lease = borrowed < runs ? log.lease(runStarts[borrowed], runSizes[borrowed]) : null;
            }
        } finally {
            if (borrowed < runs) { // also when the log cannot be read
                new LeasedPayload(leases, borrowed, 0).release();
            }
        }
        if (borrowed == runs) {
            payload = new LeasedPayload(leases, runs, sizeBytes);
            status = ReadStatus.FOUND;
        } else {
            status = ReadStatus.MESSAGE_WAS_REMOVING;
            messages = 0;
            sizeBytes = 0;
        }
    }
}
