package dev.perigee.remoting;

import dev.perigee.remoting.transport.Payload;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** A body in pieces that counts how often it is given back. */
final class CountingPayload implements Payload {
    private final ByteBuffer[] pieces;
    private final AtomicInteger releases = new AtomicInteger();

    CountingPayload(byte[]... pieces) {
        this.pieces = new ByteBuffer[pieces.length];
        for (int i = 0; i < pieces.length; i++) {
            this.pieces[i] = ByteBuffer.allocateDirect(pieces[i].length)
                    .put(pieces[i])
                    .flip()
                    .asReadOnlyBuffer();
        }
    }

    int releases() {
        return releases.get();
    }

    @Override
    public int sizeBytes() {
        int sizeBytes = 0;
        for (ByteBuffer piece : pieces) {
            sizeBytes += piece.limit();
        }
        return sizeBytes;
    }

    @Override
    public int bufferCount() {
        return pieces.length;
    }

    @Override
    public ByteBuffer buffer(int index) {
        return pieces[index];
    }

    @Override
    public void release() {
        releases.incrementAndGet();
    }
}
