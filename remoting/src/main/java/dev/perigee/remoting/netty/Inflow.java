package dev.perigee.remoting.netty;

import dev.perigee.loop.OwnedBy;
import dev.perigee.remoting.transport.LinkEvents;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of one link on their way up. Complete frames are handed up straight from the buffer the socket was read into; only
 * the rest of a burst, less than one frame, is kept and copied.
 */
@OwnedBy("event loop; what it holds may be asked by any thread")
final class Inflow implements UnfinishedFrames.Holder {
    /** A rest that leaves this much of its buffer unused moves to a smaller one, so no link sits on a large buffer. */
    private static final int SPARE_LIMIT_BYTES = 256 << 10;

    private final ByteBufAllocator allocator;
    private final LinkEvents events;
    private @Nullable ByteBuf kept;
    private int wantedBytes;
    private final UnfinishedFrames unfinished;
    private final Consumer<String> giveUp;
    private boolean joined;
    private boolean delivering;
    private boolean ended;
    private volatile long heldBytes;
    private volatile long begunNs;

    /**
     * @param unfinished where it counts what it keeps
     * @param giveUp ends the link, for the reason given; called by any thread
     */
    Inflow(ByteBufAllocator allocator, LinkEvents events, UnfinishedFrames unfinished, Consumer<String> giveUp) {
        this.allocator = allocator;
        this.events = events;
        this.unfinished = unfinished;
        this.giveUp = giveUp;
    }

    /** Takes over bytes just read and hands up every complete frame. */
    void add(ByteBuf bytes) {
        if (ended) {
            bytes.release();
            return;
        }
        ByteBuf before = kept;
        kept = before == null ? bytes : append(before, bytes);
        deliver();
    }

    /** Hands up what is kept; called again after the receiver had stopped taking frames. */
    void deliver() {
        ByteBuf bytes = kept;
        if (bytes == null || delivering) {
            return;
        }
        delivering = true;
        int taken = 0;
        try {
            ByteBuffer view = bytes.nioBufferCount() == 1
                    ? bytes.internalNioBuffer(bytes.readerIndex(), bytes.readableBytes())
                    : bytes.nioBuffer();
            int start = view.position();
            wantedBytes = events.received(view);
            taken = view.position() - start;
            bytes.skipBytes(taken);
        } finally {
            delivering = false;
        }
        settle(bytes);
        count(taken > 0);
    }

    @Override
    public long heldBytes() {
        return heldBytes;
    }

    @Override
    public long begunNs() {
        return begunNs;
    }

    @Override
    public void giveUp(String reason) {
        giveUp.accept(reason);
    }

    /** Gives back what is kept; later bytes are dropped. */
    void end() {
        ended = true;
        if (!delivering) {
            drop();
            count(false);
        }
    }

    /** Counts what is kept now, as one frame from its first byte on. */
    private void count(boolean newFrame) {
        ByteBuf bytes = kept;
        long held = bytes == null ? 0 : bytes.capacity();
        long before = heldBytes;
        if (held > 0 && (newFrame || before == 0)) {
            begunNs = unfinished.nowNs();
        }
        if (held != before) {
            if (!joined) {
                joined = true;
                unfinished.joins(this);
            }
            heldBytes = held;
            unfinished.changed(this, held - before);
        }
        if (ended && joined) {
            unfinished.leaves(this);
        }
    }

    private void settle(ByteBuf bytes) {
        if (ended || !bytes.isReadable()) {
            drop();
        } else if (bytes.capacity() - bytes.readableBytes() > SPARE_LIMIT_BYTES
                && bytes.readableBytes() < SPARE_LIMIT_BYTES
                && wantedBytes < SPARE_LIMIT_BYTES) {
            kept = moved(bytes, Math.max(wantedBytes, bytes.readableBytes()));
        }
    }

    private void drop() {
        ByteBuf bytes = kept;
        kept = null;
        if (bytes != null) {
            bytes.release();
        }
    }

    private ByteBuf append(ByteBuf before, ByteBuf bytes) {
        ByteBuf target = before;
        try {
            int total = before.readableBytes() + bytes.readableBytes();
            if (bytes.readableBytes() > before.writableBytes()) {
                target = moved(before, Math.max(total, Math.min(2 * total, wantedBytes)));
            }
            target.writeBytes(bytes);
        } finally {
            bytes.release();
        }
        return target;
    }

    private ByteBuf moved(ByteBuf from, int capacityBytes) {
        ByteBuf target = allocator.directBuffer(capacityBytes);
        target.writeBytes(from);
        from.release();
        return target;
    }
}
