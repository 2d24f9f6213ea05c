package dev.perigee.broker.query;

import dev.perigee.loop.Opened;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.message.FrameCheck;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.SegmentLease;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes single messages out of the log by an offset a client names, which may be anything: only a whole, sound frame below
 * the confirm offset that says itself that it lies there is given out (rule R37). Reads the log: may wait for the disk.
 */
@ThreadSafe
public final class FrameLookup {
    private final CommitLog log;
    private final int maxFrameBytes;

    /**
     * Frames above {@code maxFrameBytes} are taken for damage: what may lie in the log, whatever size is allowed for new
     * messages.
     */
    public FrameLookup(CommitLog log, int maxFrameBytes) {
        this.log = log;
        this.maxFrameBytes = maxFrameBytes;
    }

    /** Whether {@link #find} would not wait for the disk; true also for bytes that are no frame. */
    public boolean isLoaded(long offset) {
        if (!log.isLoaded(offset, MessageFrame.MIN_BYTES)) {
            return false;
        }
        int sizeBytes = sizeAt(offset);
        return sizeBytes == 0 || log.isLoaded(offset, sizeBytes);
    }

    /** The message at an offset, to be released by the caller; null when there is none. */
    public @Nullable SegmentLease find(long offset) {
        int sizeBytes = offset < 0 ? 0 : sizeAt(offset);
        if (sizeBytes == 0) {
            return null;
        }
        SegmentLease lease = log.lease(offset, sizeBytes);
        if (lease == null) {
            return null;
        }
        boolean isMessage = false;
        try {
            ByteBuffer bytes = lease.bytes();
            isMessage = FrameCheck.of(bytes, 0, sizeBytes, true).isSound()
                    && !FactCodec.isFact(new MessageFrame().wrap(bytes, 0));
            return isMessage ? lease : null;
        } finally {
            if (!isMessage) { // also when the disk does not give what is mapped
                lease.release();
            }
        }
    }

    /**
     * The messages at these offsets, without those that are not there, up to the first that does not fit; to be released by the
     * caller. Fails as a whole when one of them cannot be read.
     *
     * @param maxBytes what they may have together; the first comes whatever its size
     */
    List<SegmentLease> findAll(List<Long> offsets, int maxBytes) {
        List<SegmentLease> found = new ArrayList<>();
        int sizeBytes = 0;
        try (Opened borrowed = new Opened()) {
            for (long offset : offsets) {
                SegmentLease lease = find(offset);
                if (lease == null) {
                    continue;
                }
                if (!found.isEmpty() && lease.sizeBytes() > maxBytes - sizeBytes) {
                    lease.release();
                    break;
                }
                borrowed.add(lease::release);
                found.add(lease);
                sizeBytes += lease.sizeBytes();
            }
            borrowed.keep();
        }
        return found;
    }

    /** The size of what looks like a frame that lies here, 0 when nothing does. */
    private int sizeAt(long offset) {
        SegmentLease head = log.lease(offset, MessageFrame.MIN_BYTES);
        if (head == null) {
            return 0;
        }
        try {
            ByteBuffer bytes = head.bytes();
            int magic = bytes.getInt(MessageFrame.MAGIC_AT);
            int sizeBytes = bytes.getInt(MessageFrame.SIZE_AT);
            boolean here = bytes.getLong(MessageFrame.PHYSICAL_OFFSET_AT) == offset
                    && (magic == MessageFrame.MAGIC_V1 || magic == MessageFrame.MAGIC_V2);
            return here && sizeBytes >= MessageFrame.MIN_BYTES && sizeBytes <= maxFrameBytes ? sizeBytes : 0;
        } finally {
            head.release();
        }
    }
}
