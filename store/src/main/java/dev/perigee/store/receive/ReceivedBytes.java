package dev.perigee.store.receive;

import dev.perigee.loop.OwnedBy;
import java.nio.ByteBuffer;

/**
 * Sealed bytes of another log: whole units in log order, of one segment. A blank comes last: its eight bytes alone, or followed
 * by zeros up to the end of the segment; either way the log goes on with the head of the next one. No bytes at all are a
 * heartbeat: only what the sender says of itself is taken.
 *
 * <p>The buffer belongs to the log loop from the offer until the listener is told.
 *
 * @param sender what the sender said when it sent them
 * @param offset the offset in the log of the first byte
 * @param bytes from position to limit; neither is changed, nor is any byte
 * @param listener told once what became of them, on the log loop
 */
@OwnedBy("offerer, then the log loop")
public record ReceivedBytes(SenderState sender, long offset, ByteBuffer bytes, ReceiveListener listener)
        implements Received {
    @Override
    public int sizeBytes() {
        return bytes.remaining();
    }
}
