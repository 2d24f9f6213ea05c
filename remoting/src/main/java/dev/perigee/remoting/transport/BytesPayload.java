package dev.perigee.remoting.transport;

import java.nio.ByteBuffer;

/** A body that belongs to nobody else: nothing to give back. */
final class BytesPayload implements Payload {
    private final ByteBuffer bytes;
    private final int sizeBytes;

    BytesPayload(ByteBuffer bytes) {
        this.bytes = bytes;
        this.sizeBytes = bytes.remaining();
    }

    @Override
    public int sizeBytes() {
        return sizeBytes;
    }

    @Override
    public int bufferCount() {
        return 1;
    }

    @Override
    public ByteBuffer buffer(int index) {
        return bytes;
    }

    @Override
    public void release() {}
}
