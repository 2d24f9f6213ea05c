package dev.perigee.protocol.header.replica;

import org.jspecify.annotations.Nullable;

/**
 * Header of REPLICA_HELD (20004), one-way from replica to sender: what the replica answers for. The first one of a session
 * begins the stream at its end offset.
 *
 * @param session the number of the replica's hello
 * @param epoch the epoch of the last whole unit before the end
 * @param endOffset everything below is the sender's and written; under synchronous flush of the replica, on its disk
 * @param leaving whether the replica stops now, and is to be waited for by nobody; null for false. It is answered then, and says nothing new of what is held
 */
public record HeldHeader(
        long session, int epoch, long endOffset, @Nullable Boolean leaving) {
    /** Of one that stays. */
    public HeldHeader(long session, int epoch, long endOffset) {
        this(session, epoch, endOffset, null);
    }

    /** Whether the replica stops now. */
    public boolean isLeaving() {
        return Boolean.TRUE.equals(leaving);
    }
}
