package dev.perigee.replica.feed;

import dev.perigee.protocol.header.replica.FetchedHeader;
import dev.perigee.remoting.transport.Payload;
import java.nio.ByteBuffer;

/**
 * One frame down, ready to be sent: what it says, and as its body the bytes of the log in it.
 *
 * @param header what it says
 * @param bytes position 0 to limit; without any it is a heartbeat
 * @param onRelease gives them back; called once
 */
public record FeedFrame(FetchedHeader header, ByteBuffer bytes, Runnable onRelease) implements Payload {
    /** Of bytes that belong to nobody else. */
    static FeedFrame of(FetchedHeader header, ByteBuffer bytes) {
        return new FeedFrame(header, bytes, () -> {});
    }

    @Override
    public int sizeBytes() {
        return bytes.limit();
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
    public void release() {
        onRelease.run();
    }
}
