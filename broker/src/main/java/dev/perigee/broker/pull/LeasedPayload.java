package dev.perigee.broker.pull;

import dev.perigee.loop.OwnedBy;
import dev.perigee.remoting.transport.Payload;
import dev.perigee.store.log.SegmentLease;
import java.nio.ByteBuffer;

/** Ranges of the log as the body of an answer; each range holds one or more messages that lie next to each other. */
@OwnedBy("whoever holds the reply")
public final class LeasedPayload implements Payload {
    private final SegmentLease[] leases;
    private final int count;
    private final int sizeBytes;

    /** Takes over the first {@code count} leases. */
    public LeasedPayload(SegmentLease[] leases, int count, int sizeBytes) {
        this.leases = leases;
        this.count = count;
        this.sizeBytes = sizeBytes;
    }

    @Override
    public int sizeBytes() {
        return sizeBytes;
    }

    @Override
    public int bufferCount() {
        return count;
    }

    @Override
    public ByteBuffer buffer(int index) {
        return leases[index].bytes();
    }

    @Override
    public void release() {
        for (int i = 0; i < count; i++) {
            leases[i].release();
        }
    }
}
