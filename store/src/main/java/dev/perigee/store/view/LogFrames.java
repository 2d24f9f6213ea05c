package dev.perigee.store.view;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.SegmentLease;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Looks single frames of the confirmed log up by their place, for searches. May wait for the disk. */
@ThreadSafe
public final class LogFrames {
    /** The store timestamp of a frame that was trimmed. */
    public static final long GONE = -1;

    private static final int SYS_FLAG_AT = 36;
    private static final int STORE_TIMESTAMP_AT = 56;
    private static final int BORN_HOST_IPV6 = 0x10;
    private static final int IPV6_EXTRA_BYTES = 12;
    private static final int HEAD_BYTES = STORE_TIMESTAMP_AT + IPV6_EXTRA_BYTES + Long.BYTES;

    private final CommitLog log;

    public LogFrames(CommitLog log) {
        this.log = log;
    }

    /** When the frame at an offset was stored, {@link #GONE} when the log does not hold it. */
    public long storeTimestampMs(long offset, int sizeBytes) {
        SegmentLease lease = log.lease(offset, sizeBytes);
        if (lease == null) {
            return GONE;
        }
        try {
            return storeTimestampMs(lease.bytes());
        } finally {
            lease.release();
        }
    }

    /** As above, by a read instead of a map, so that a failing disk throws: for frames that may be days old. Blocks. */
    public long readStoreTimestampMs(long offset) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES);
        if (log.read(offset, head) < HEAD_BYTES) {
            return GONE;
        }
        return storeTimestampMs(head);
    }

    private static long storeTimestampMs(ByteBuffer frame) {
        int extra = (frame.getInt(SYS_FLAG_AT) & BORN_HOST_IPV6) != 0 ? IPV6_EXTRA_BYTES : 0;
        return frame.getLong(STORE_TIMESTAMP_AT + extra);
    }

    /**
     * Shows the frame at an offset.
     *
     * @param entry is moved to the frame; one per thread
     * @param reader called with it during this call, unless the log does not hold the frame
     * @return whether there was one
     */
    public boolean show(long offset, LogEntry entry, Consumer<LogEntry> reader) {
        SegmentLease head = log.lease(offset, Integer.BYTES);
        if (head == null) {
            return false;
        }
        int sizeBytes;
        try {
            sizeBytes = head.bytes().getInt(0);
        } finally {
            head.release();
        }
        SegmentLease lease = log.lease(offset, sizeBytes);
        if (lease == null) {
            return false;
        }
        try {
            reader.accept(entry.wrap(lease.bytes(), 0, offset));
            return true;
        } finally {
            lease.release();
        }
    }
}
