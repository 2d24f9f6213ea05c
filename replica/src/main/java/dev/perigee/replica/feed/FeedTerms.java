package dev.perigee.replica.feed;

import dev.perigee.loop.Immutable;
import dev.perigee.replica.StreamLimits;

/**
 * What sender and replica agreed on for one connection.
 *
 * @param session the number of the replica's hello
 * @param senderEpoch the epoch the sender writes in
 * @param windowBytes bytes sent and not held at most
 * @param frameBytes bytes of the log in one frame at most
 * @param catchUpBytesPerSec how fast a replica that is more than a window behind is fed; 0 for as fast as it goes
 */
@Immutable
public record FeedTerms(long session, int senderEpoch, int windowBytes, int frameBytes, long catchUpBytesPerSec) {
    public FeedTerms {
        if (session == 0 || frameBytes < 1 || windowBytes < frameBytes || catchUpBytesPerSec < 0) {
            throw new IllegalArgumentException("session=" + session + " windowBytes=" + windowBytes + " frameBytes="
                    + frameBytes + " catchUpBytesPerSec=" + catchUpBytesPerSec
                    + ", wanted a session other than 0 and 0 < frameBytes <= windowBytes");
        }
    }

    /** The usual terms, with the smaller of both windows, but never one below a frame. */
    public static FeedTerms of(long session, int senderEpoch, int theirWindowBytes, long catchUpBytesPerSec) {
        int window = Math.max(StreamLimits.FRAME_BYTES, Math.min(StreamLimits.WINDOW_BYTES, theirWindowBytes));
        return new FeedTerms(session, senderEpoch, window, StreamLimits.FRAME_BYTES, catchUpBytesPerSec);
    }
}
