package dev.perigee.remoting.transport;

import java.nio.ByteBuffer;

/** A body that belongs to nobody else: nothing to give back. */
final class BytesPayload implements Payload {
    private final ByteBuffer bytes;

    BytesPayload(ByteBuffer bytes) {
        this.bytes = bytes;
    }

    @Override
    public int sizeBytes() {
        return bytes.remaining();
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
