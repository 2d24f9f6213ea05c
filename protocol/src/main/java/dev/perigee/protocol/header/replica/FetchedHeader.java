package dev.perigee.protocol.header.replica;

/**
 * Header of REPLICA_FETCHED (20003), one-way from sender to replica: bytes of the log as its body. Without a body it is the
 * heartbeat.
 *
 * @param session the number of the replica's hello
 * @param senderEpoch the epoch the sender writes in
 * @param epochBefore the epoch of the last whole unit before the offset; 0 at the start of the log
 * @param offset where the first byte of the body belongs; of a heartbeat, where the next one will
 * @param confirmOffset how far the sender's log may be seen
 */
public record FetchedHeader(long session, int senderEpoch, int epochBefore, long offset, long confirmOffset) {}
