package dev.perigee.remoting.memory;

import dev.perigee.loop.OwnedBy;
import dev.perigee.remoting.transport.Link;
import dev.perigee.remoting.transport.LinkEvents;
import dev.perigee.remoting.transport.LinkOptions;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.remoting.transport.Payload;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** One end of a connection in memory. */
@OwnedBy("stepping thread")
final class MemoryLink implements Link {
    private static final byte[] NOTHING = {};

    private final MemoryTransport network;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final LinkOptions options;
    private final LinkEvents events;
    private final Queue<byte[]> unflushed = new ArrayDeque<>();
    private @Nullable MemoryLink other;
    private byte[] kept = NOTHING;
    private long queuedBytes;
    private boolean full;
    private boolean paused;
    private boolean open;

    MemoryLink(
            MemoryTransport network,
            InetSocketAddress local,
            InetSocketAddress remote,
            LinkOptions options,
            LinkEvents events) {
        this.network = network;
        this.local = local;
        this.remote = remote;
        this.options = options;
        this.events = events;
    }

    void join(MemoryLink far) {
        other = far;
        far.other = this;
    }

    void open() {
        open = true;
        events.opened(this);
    }

    @Override
    public InetSocketAddress remote() {
        return remote;
    }

    @Override
    public InetSocketAddress local() {
        return local;
    }

    @Override
    public LoopExecutor loop() {
        return network.ownLoop();
    }

    @Override
    public void write(byte[] head, int headSizeBytes, @Nullable Payload body) {
        int bodyBytes = body == null ? 0 : body.sizeBytes();
        ByteBuffer frame = ByteBuffer.allocate(headSizeBytes + bodyBytes);
        frame.put(head, 0, headSizeBytes);
        if (body != null) {
            try {
                for (int i = 0; i < body.bufferCount(); i++) {
                    frame.put(body.buffer(i));
                }
            } finally {
                body.release();
            }
        }
        if (open) {
            unflushed.add(frame.array());
            queuedBytes += frame.capacity();
            full |= queuedBytes > options.highWaterBytes();
        }
    }

    @Override
    public void flush() {
        MemoryLink far = other;
        for (byte[] frame = unflushed.poll(); frame != null && far != null; frame = unflushed.poll()) {
            byte[] bytes = frame;
            network.send(() -> {
                sent(bytes.length);
                far.arrived(bytes);
            });
        }
    }

    @Override
    public boolean isWritable() {
        return open && !full;
    }

    @Override
    public long queuedBytes() {
        return queuedBytes;
    }

    @Override
    public void pauseReading() {
        paused = true;
    }

    @Override
    public void resumeReading() {
        paused = false;
        deliver();
    }

    @Override
    public void close() {
        if (open) {
            unflushed.clear();
            end("closed by this side");
            endOther();
        }
    }

    @Override
    public void closeWhenSent(long timeoutMs) {
        if (open) {
            flush();
            network.send(this::close);
        }
    }

    boolean isOpen() {
        return open;
    }

    /** Ends both sides at once, with whatever is on its way. */
    void tear() {
        unflushed.clear();
        end("broken");
        MemoryLink far = other;
        if (far != null) {
            far.unflushed.clear();
            far.end("broken");
        }
    }

    private void sent(int bytes) {
        queuedBytes -= bytes;
        if (full && queuedBytes <= options.lowWaterBytes()) {
            full = false;
            if (open) {
                events.writableAgain();
            }
        }
    }

    private void arrived(byte[] bytes) {
        if (open) {
            ByteBuffer joined = ByteBuffer.allocate(kept.length + bytes.length);
            kept = joined.put(kept).put(bytes).array();
            if (!paused) {
                deliver();
                events.burstEnded();
            }
        }
    }

    private void deliver() {
        if (kept.length == 0) {
            return;
        }
        ByteBuffer view = ByteBuffer.wrap(kept);
        events.received(view);
        byte[] rest = new byte[view.remaining()];
        view.get(rest);
        kept = rest;
    }

    private void endOther() {
        MemoryLink far = other;
        if (far != null) {
            network.send(() -> far.end("closed by the peer"));
        }
    }

    private void end(String reason) {
        if (open) {
            open = false;
            network.ownLoop().execute(() -> events.closed(reason));
        }
    }
}
