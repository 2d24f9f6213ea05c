package dev.perigee.protocol.header.replica;

/**
 * Header of REPLICA_FORK (20002): asks for the sender's largest epoch that is not above this one.
 *
 * @param session the number of the replica's hello
 * @param epoch the number of the epoch
 */
public record ForkHeader(long session, int epoch) {}
