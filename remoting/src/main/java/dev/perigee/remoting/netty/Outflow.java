package dev.perigee.remoting.netty;

import dev.perigee.loop.OwnedBy;
import dev.perigee.remoting.transport.Payload;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Frames of one link on their way out. Small frames are copied one behind the other into a chunk, which becomes one write;
 * a large body made of large pieces is not copied but gathered by the kernel from where it lies.
 */
@OwnedBy("event loop")
@SuppressWarnings({
    "FutureReturnValueIgnored", // void promises report a failed write to the pipeline, which closes the link
    "NonAtomicVolatileUpdate" // written by the event loop only
})
final class Outflow {
    private static final int MIN_CHUNK_BYTES = 1 << 10;
    /** What the pooled allocator still caches per thread. */
    private static final int MAX_CHUNK_BYTES = 32 << 10;
    /** Bodies up to this size are copied: one write of one buffer is cheaper than gathering. */
    private static final int COPY_LIMIT_BYTES = 64 << 10;
    /** Pieces smaller than this on average are copied whatever the body's size: each piece costs a kernel vector. */
    private static final int MIN_GATHERED_PIECE_BYTES = 4 << 10;

    private final Channel channel;
    private final UnsentBytes.@Nullable Share unsent;
    /** Of what waits, so much lies where it always lies, and takes no memory. */
    private volatile long gatheredBytes;

    private @Nullable ByteBuf chunk;
    private int sinceFlushBytes;
    private int lastBurstBytes;
    /** Since the last flush something may have been handed to the channel, and whether nothing waited there before. */
    private boolean pushed;

    private boolean beganEmpty;
    private boolean ended;

    /**
     * @param unsent where what waits is counted; none where the sending side limits itself
     * @param giveUp ends the link, for the reason given; called by any thread
     */
    Outflow(Channel channel, @Nullable UnsentBytes unsent, Consumer<String> giveUp) {
        this.channel = channel;
        this.unsent = unsent == null ? null : unsent.share(this::copiedBytes, giveUp);
    }

    void write(byte[] head, int headSizeBytes, @Nullable Payload body) {
        if (ended) {
            release(body);
        } else if (body == null) {
            room(headSizeBytes).writeBytes(head, 0, headSizeBytes);
            sinceFlushBytes += headSizeBytes;
        } else if (isGathered(body)) {
            room(headSizeBytes).writeBytes(head, 0, headSizeBytes);
            gather(body);
        } else {
            copy(head, headSizeBytes, body);
        }
    }

    void flush() {
        if (!ended) {
            pushChunk();
            lastBurstBytes = sinceFlushBytes;
            sinceFlushBytes = 0;
            channel.flush();
            if (unsent != null && (queuedBytes() > 0 || unsent.isCounted())) {
                unsent.flushed(beganEmpty);
            }
            pushed = false;
        }
    }

    /** What was handed to the channel and has not left it. Any thread. */
    long queuedBytes() {
        ChannelOutboundBuffer queue = channel.unsafe().outboundBuffer();
        return queue == null ? 0 : queue.totalPendingWriteBytes();
    }

    private long copiedBytes() {
        return Math.max(0, queuedBytes() - gatheredBytes);
    }

    int chunkBytes() {
        ByteBuf bytes = chunk;
        return bytes == null ? 0 : bytes.readableBytes();
    }

    /** Drops what was not handed to the channel; later frames are dropped. */
    void end() {
        ended = true;
        ByteBuf bytes = chunk;
        chunk = null;
        if (bytes != null) {
            bytes.release();
        }
        if (unsent != null) {
            unsent.ended();
        }
    }

    private static boolean isGathered(Payload body) {
        int sizeBytes = body.sizeBytes();
        return sizeBytes > COPY_LIMIT_BYTES && sizeBytes / body.bufferCount() >= MIN_GATHERED_PIECE_BYTES;
    }

    private void copy(byte[] head, int headSizeBytes, Payload body) {
        try {
            int sizeBytes = headSizeBytes + body.sizeBytes();
            ByteBuf out = room(sizeBytes);
            out.writeBytes(head, 0, headSizeBytes);
            for (int i = 0, count = body.bufferCount(); i < count; i++) {
                out.writeBytes(body.buffer(i));
            }
            sinceFlushBytes += sizeBytes;
        } finally {
            body.release();
        }
    }

    /** The promise of the last piece ends when all pieces are written or all are dropped. */
    private void gather(Payload body) {
        pushChunk();
        int sizeBytes = body.sizeBytes();
        gatheredBytes += sizeBytes;
        ChannelPromise sent = channel.newPromise();
        sent.addListener(future -> {
            gatheredBytes -= sizeBytes;
            body.release();
        });
        int last = body.bufferCount() - 1;
        for (int i = 0; i < last; i++) {
            channel.write(Unpooled.wrappedBuffer(body.buffer(i)), channel.voidPromise());
        }
        channel.write(Unpooled.wrappedBuffer(body.buffer(last)), sent);
    }

    private ByteBuf room(int sizeBytes) {
        ByteBuf bytes = chunk;
        if (bytes != null) {
            if (bytes.writableBytes() >= sizeBytes) {
                return bytes;
            }
            pushChunk();
        }
        int usual = Math.max(MIN_CHUNK_BYTES, Math.min(MAX_CHUNK_BYTES, Math.max(lastBurstBytes, sinceFlushBytes)));
        ByteBuf fresh = channel.alloc().directBuffer(Math.max(sizeBytes, usual));
        chunk = fresh;
        return fresh;
    }

    private void pushChunk() {
        ByteBuf bytes = chunk;
        chunk = null;
        if (!pushed) {
            pushed = true;
            beganEmpty = queuedBytes() == 0;
        }
        if (bytes != null) {
            channel.write(bytes, channel.voidPromise());
        }
    }

    private static void release(@Nullable Payload body) {
        if (body != null) {
            body.release();
        }
    }
}
