package dev.perigee.store.log;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.epoch.LogExtent;
import dev.perigee.store.epoch.MemberFacts;
import dev.perigee.store.epoch.ReplicaSet;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The log as its readers see it: consecutive segments of equal size, readable below the confirm offset. Offsets are byte
 * positions from the beginning of time; ends are exclusive. Thread-safe.
 */
@ThreadSafe
public final class CommitLog {
    private final LogStorage storage;
    private final LogHorizon horizon;

    public CommitLog(LogStorage storage, LogHorizon horizon) {
        this.storage = storage;
        this.horizon = horizon;
    }

    /** The random name of this log; views compare it with the one in their checkpoints. Never 0. */
    public long logId() {
        return horizon.logId();
    }

    /** The number of the epoch the tail is written in. */
    public int epoch() {
        return horizon.epoch();
    }

    /** What the log holds up to its end, confirmed or not, and which epochs wrote it. Any thread. */
    public LogExtent extent() {
        long end = horizon.end(); // before the table, which knows of an epoch before the end passes its first byte
        long start = storage.startOffset();
        return new LogExtent(horizon.epochs().cutTo(end).trimTo(start), start, end);
    }

    /** Whom the log names as in sync below an offset of it, confirmed or not; empty when it names nobody. Any thread. */
    public Optional<ReplicaSet> replicaSet(long endOffset) {
        return horizon.replicaSets().cutTo(endOffset).last();
    }

    /** Whom it names before that, which may have counted until what lies behind was confirmed. Any thread. */
    public Optional<ReplicaSet> replicaSetBefore(long endOffset) {
        return horizon.replicaSets().cutTo(endOffset).beforeLast();
    }

    /** Who belongs to the group as the log says below an offset of it, confirmed or not. Any thread. */
    public MemberFacts members(long endOffset) {
        return horizon.members().cutTo(endOffset);
    }

    /** The first byte still stored. Always the start of a segment. */
    public long startOffset() {
        return storage.startOffset();
    }

    /** The byte after the last frame appended, confirmed or not. */
    public long endOffset() {
        return horizon.end();
    }

    /** How far the log may be seen. Never falls while the store is open. */
    public long confirmOffset() {
        return horizon.confirm();
    }

    /** A view has durably applied everything below an offset of this log, so that was confirmed. Before the loops run. */
    public void wasConfirmedTo(long offset) {
        if (offset > horizon.confirm()) {
            horizon.confirm(offset);
        }
    }

    /** The byte up to which the log is known to be on the disk; a checkpoint must not cover more. */
    public long syncedOffset() {
        return horizon.synced();
    }

    /** The size of each file of the log; changes only while there is none (R30). */
    public int segmentSizeBytes() {
        return storage.segmentSizeBytes();
    }

    /** The start of the segment after the one that holds an offset. */
    public long nextSegmentStart(long offset) {
        int size = storage.segmentSizeBytes();
        return offset - offset % size + size;
    }

    /** All segments, oldest first; the last is the one being written. */
    public List<SegmentRange> segments() {
        return storage.ranges();
    }

    /**
     * Borrows a range in place.
     *
     * @return null when it is not wholly stored, not wholly below the confirm offset, or crosses a segment's end
     */
    public @Nullable SegmentLease lease(long offset, int sizeBytes) {
        if (offset < 0 || sizeBytes <= 0 || offset + sizeBytes > horizon.confirm()) {
            return null;
        }
        LogSegment segment = storage.hold(offset);
        if (segment == null) {
            return null;
        }
        SegmentLease lease = null;
        try {
            if (offset + sizeBytes <= segment.endOffset()) {
                lease = new SegmentLease(segment, segment.slice(offset, sizeBytes));
            }
            return lease;
        } finally {
            if (lease == null) { // also when the file cannot be mapped
                segment.release();
            }
        }
    }

    /**
     * Borrows what a segment holds from an offset to its end, confirmed or not, for whoever sends it on to replicas: what lies
     * behind the end of the log is not written yet and appears there when it is.
     *
     * @return null when the offset is not stored, or is not below the end of the log
     */
    public @Nullable SegmentLease leaseRest(long offset) {
        if (offset < 0 || offset >= horizon.end()) {
            return null;
        }
        LogSegment segment = storage.hold(offset);
        if (segment == null) {
            return null;
        }
        SegmentLease lease = null;
        try {
            lease = new SegmentLease(segment, segment.slice(offset, (int) (segment.endOffset() - offset)));
            return lease;
        } finally {
            if (lease == null) { // also when the file cannot be mapped
                segment.release();
            }
        }
    }

    /** Whether a range could be borrowed and read now without waiting for the disk. One system call. */
    public boolean isLoaded(long offset, int sizeBytes) {
        SegmentLease lease = lease(offset, sizeBytes);
        if (lease == null) {
            return false;
        }
        try {
            return DiskFile.isLoaded(lease.bytes());
        } finally {
            lease.release();
        }
    }

    /**
     * Copies bytes below the confirm offset into a buffer, at most up to the end of the segment. May block.
     *
     * @return how many; 0 when there is nothing stored and confirmed at the offset
     */
    public int read(long offset, ByteBuffer target) throws IOException {
        long readable = Math.min(horizon.confirm(), nextSegmentStart(offset)) - offset;
        if (offset < 0 || readable <= 0 || !target.hasRemaining()) {
            return 0;
        }
        int limit = target.limit();
        if (target.remaining() > readable) {
            target.limit(target.position() + (int) readable);
        }
        try {
            return storage.read(offset, target);
        } finally {
            target.limit(limit);
        }
    }

    /**
     * Forgets and deletes whole segments below an offset, never the one being written; those on lease go when the last
     * lease is released. Called by the preparer. May block.
     *
     * @return the new start offset
     */
    public long trimTo(long startOffset) throws IOException {
        return storage.trimTo(Math.min(startOffset, horizon.confirm()));
    }
}
