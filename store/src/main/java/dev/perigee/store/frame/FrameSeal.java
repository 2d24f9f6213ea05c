package dev.perigee.store.frame;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.FrameStamp;
import java.nio.ByteBuffer;

/** Writes into complete frames what only the log loop knows: place, queue offset, time and stamp. */
@OwnedBy("log loop")
public final class FrameSeal {
    private int epoch;
    private long storeTimestampMs;
    private long syncedOffset;

    /**
     * What the frames of one unit share.
     *
     * @param syncedTo everything below is surely on the disk: recovery tells torn from rotten by it (R7)
     */
    public void unit(int unitEpoch, long unitTimestampMs, long syncedTo) {
        epoch = unitEpoch;
        storeTimestampMs = unitTimestampMs;
        syncedOffset = syncedTo;
    }

    /** Seals the frame at a position. The buffer's limit must be behind it. */
    public void seal(ByteBuffer buffer, int position, long queueOffset, long physicalOffset, boolean continues) {
        int size = buffer.getInt(position);
        buffer.putLong(position + FrameLayout.QUEUE_OFFSET, queueOffset);
        buffer.putLong(position + FrameLayout.PHYSICAL_OFFSET, physicalOffset);
        buffer.putLong(FrameLayout.storeTimestamp(buffer, position), storeTimestampMs);
        FrameStamp.write(buffer, position, size, epoch, continues, physicalOffset - syncedOffset);
    }

    /**
     * Whether a unit is made of so many whole frames, each ending with room for a stamp.
     *
     */
    public static boolean isComplete(ByteBuffer buffer, int position, int sizeBytes, int frames) {
        int at = position;
        int end = position + sizeBytes;
        for (int i = 0; i < frames; i++) {
            int size = end - at < FrameLayout.MIN_BYTES ? 0 : buffer.getInt(at);
            if (size < FrameLayout.MIN_BYTES || size > end - at || !FrameStamp.isPresent(buffer, at, size)) {
                return false;
            }
            at += size;
        }
        return at == end;
    }
}
