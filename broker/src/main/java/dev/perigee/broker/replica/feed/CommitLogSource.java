package dev.perigee.broker.replica.feed;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.SegmentLease;
import java.util.Optional;

/** A running broker's own log as what its feeds read. */
@ThreadSafe
final class CommitLogSource implements FeedSource {
    private final CommitLog log;

    CommitLogSource(CommitLog log) {
        this.log = log;
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
    public Optional<Pinned> pin(long offset) {
        SegmentLease lease = log.leaseRest(offset);
        return lease == null ? Optional.empty() : Optional.of(new Pinned(offset, lease.bytes(), lease::release));
    }
}
