package dev.perigee.replica.feed;

/**
 * Bytes of the log for one frame of the stream: whole units that were verified, or a fragment of one.
 *
 * @param offset where the first byte belongs
 * @param bytes a copy, whose owner is who takes the piece
 * @param nextOffset where the next piece begins; behind a blank the next segment
 * @param unitEnd the end of the unit that the piece is a fragment of, else {@code nextOffset}
 * @param epochAfter the epoch of the last whole unit when this piece has been taken
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
record FeedPiece(long offset, byte[] bytes, long nextOffset, long unitEnd, int epochAfter) {
    /** Whether more of the unit is to come. */
    boolean isUnfinished() {
        return nextOffset < unitEnd;
    }
}
