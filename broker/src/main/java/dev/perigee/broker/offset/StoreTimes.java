package dev.perigee.broker.offset;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.SegmentLease;
import dev.perigee.store.queue.ConsumeQueue;

/** When the message at a place of a queue was stored. Reads the log: may wait for the disk. */
@ThreadSafe
public final class StoreTimes {
    private final CommitLog log;

    public StoreTimes(CommitLog log) {
        this.log = log;
    }

    /** Store time in milliseconds of the message at the offset, or {@code otherwise} when there is none. */
    public long of(ConsumeQueue queue, long queueOffset, long otherwise) {
        long[] found = {otherwise};
        queue.read(queueOffset, 1, (offset, physicalOffset, sizeBytes, tagHash) -> {
            SegmentLease lease = log.lease(physicalOffset, sizeBytes);
            if (lease != null) {
                try {
                    found[0] = new MessageFrame().wrap(lease.bytes(), 0).storeTimestampMs();
                } finally {
                    lease.release();
                }
            }
            return false;
        });
        return found[0];
    }
}
