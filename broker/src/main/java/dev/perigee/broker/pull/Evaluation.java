package dev.perigee.broker.pull;

import dev.perigee.broker.filter.MessageFilter;
import dev.perigee.broker.filter.PropertyLookup;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.SegmentLease;
import dev.perigee.store.queue.ConsumeQueue;
import java.nio.ByteBuffer;

/** Asks a filter about the properties of the messages of one read, one by one and up to a limit. Used once. */
@OwnedBy("reading thread")
final class Evaluation {
    /** What a look at a message came to. */
    enum Look {
        WANTED,
        NOT_WANTED,
        /** Not looked at: that is enough for one read. */
        LIMIT,
        /** Not looked at: the disk would have had to be asked. */
        NOT_LOADED,
        /** The log no longer has it. */
        GONE
    }

    /** Messages that are looked at per read at most. */
    static final int MAX_MESSAGES = 256;

    /** Their bytes at most; the first is looked at whatever its size. */
    static final int MAX_BYTES = 1 << 20;

    private final CommitLog log;
    private final MessageFilter filter;
    private final long trustedFrom;
    private final MessageFrame frame = new MessageFrame();
    private final PropertyLookup properties = frame::property;
    private int messages;
    private int sizeBytes;

    /** {@code trustedFrom} as for {@link QueueRead}. */
    Evaluation(CommitLog log, MessageFilter filter, long trustedFrom) {
        this.log = log;
        this.filter = filter;
        this.trustedFrom = trustedFrom;
    }

    /**
     * Looks at the message of one entry of the queue.
     *
     * @throws IllegalStateException when the entry does not lead to a message of the queue
     */
    Look look(ConsumeQueue queue, long queueOffset, long physicalOffset, int frameBytes) {
        if (messages >= MAX_MESSAGES || (messages > 0 && sizeBytes + frameBytes > MAX_BYTES)) {
            return Look.LIMIT;
        }
        if (physicalOffset < trustedFrom && !log.isLoaded(physicalOffset, frameBytes)) {
            return Look.NOT_LOADED;
        }
        SegmentLease lease = log.lease(physicalOffset, frameBytes);
        if (lease == null) {
            return Look.GONE;
        }
        try {
            messages++;
            sizeBytes += frameBytes;
            if (!isFrameOf(queue, lease.bytes(), queueOffset, physicalOffset)) {
                throw QueueRead.disagreement(queue, queueOffset);
            }
            frame.wrap(lease.bytes(), 0);
            return filter.takes(properties) ? Look.WANTED : Look.NOT_WANTED;
        } finally {
            lease.release();
        }
    }

    private static boolean isFrameOf(ConsumeQueue queue, ByteBuffer bytes, long queueOffset, long physicalOffset) {
        return bytes.capacity() >= MessageFrame.MIN_BYTES
                && bytes.getInt(MessageFrame.SIZE_AT) == bytes.capacity()
                && bytes.getInt(MessageFrame.QUEUE_ID_AT) == queue.queueId()
                && bytes.getLong(MessageFrame.QUEUE_OFFSET_AT) == queueOffset
                && bytes.getLong(MessageFrame.PHYSICAL_OFFSET_AT) == physicalOffset;
    }
}
