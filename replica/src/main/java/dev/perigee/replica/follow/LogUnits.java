package dev.perigee.replica.follow;

import java.nio.ByteBuffer;

/**
 * Whole units of the log that lie one behind the other, on their way into it; a blank, of which only the head is here, is
 * always the last.
 *
 * @param offset where the first byte belongs
 * @param bytes position 0 to limit; the receiver's own
 */
public record LogUnits(long offset, ByteBuffer bytes) {
    /** How many bytes there are. */
    public int sizeBytes() {
        return bytes.limit();
    }
}
