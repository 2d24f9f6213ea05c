package dev.perigee.protocol.header.replica;

/**
 * Header of REPLICA_HELD (20004), one-way from replica to sender: what the replica answers for. The first one of a session
 * begins the stream at its end offset.
 *
 * @param session the number of the replica's hello
 * @param epoch the epoch of the last whole unit before the end
 * @param endOffset everything below is the sender's and written; under synchronous flush of the replica, on its disk
 */
public record HeldHeader(long session, int epoch, long endOffset) {}
