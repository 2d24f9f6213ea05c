package dev.perigee.replica.feed;

import java.nio.ByteBuffer;

/**
 * Bytes of the log for one frame of the stream: whole units that were verified, or a fragment of one.
 *
 * @param offset where the first byte belongs
 * @param bytes position 0 to limit; a copy, whose owner is who takes the piece, or part of the pinned bytes it was read from
 * @param isInPlace whether they are part of the pinned bytes
 * @param nextOffset where the next piece begins; behind a blank the next segment
 * @param unitEnd the end of the unit that the piece is a fragment of, else {@code nextOffset}
 * @param epochAfter the epoch of the last whole unit when this piece has been taken
 */
record FeedPiece(long offset, ByteBuffer bytes, boolean isInPlace, long nextOffset, long unitEnd, int epochAfter) {
    /** Whether more of the unit is to come. */
    boolean isUnfinished() {
        return nextOffset < unitEnd;
    }
}
