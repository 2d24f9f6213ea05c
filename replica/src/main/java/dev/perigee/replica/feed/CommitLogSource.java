package dev.perigee.replica.feed;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.replica.StreamLimits;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.SegmentLease;
import java.util.Optional;

/** A running broker's own log as what its feeds read. */
@ThreadSafe
public final class CommitLogSource implements FeedSource {
    /** What this process wrote so near to the end is in memory: the kernel has not had time to take it away. */
    private static final long NEAR_BYTES = 2L * StreamLimits.WINDOW_BYTES;

    private final CommitLog log;
    /** What lies before was written by an earlier process, and need not be in the machine's memory. */
    private final long takenOverAt;

    /** Of an open log; before its loops run. */
    public CommitLogSource(CommitLog log) {
        this.log = log;
        this.takenOverAt = log.endOffset();
    }

    @Override
    public long startOffset() {
        return log.startOffset();
    }

    @Override
    public long endOffset() {
        return log.endOffset();
    }

    @Override
    public long confirmOffset() {
        return log.confirmOffset();
    }

    @Override
    public boolean endsIn(int epoch) {
        return log.epoch() == epoch;
    }

    @Override
    public boolean isLoaded(Pinned bytes, long from, long to) {
        return from >= writtenFrom()
                || DiskFile.isLoaded(bytes.bytes().slice((int) (from - bytes.fromOffset()), (int) (to - from)));
    }

    @Override
    public long writtenFrom() {
        return Math.max(takenOverAt, log.endOffset() - NEAR_BYTES);
    }

    @Override
    public Optional<Pinned> pin(long offset) {
        SegmentLease lease = log.leaseRest(offset);
        return lease == null ? Optional.empty() : Optional.of(new Pinned(offset, lease.bytes(), lease::release));
    }
}
