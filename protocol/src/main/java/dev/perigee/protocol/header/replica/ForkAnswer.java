package dev.perigee.protocol.header.replica;

/**
 * Header of the answer to REPLICA_FORK.
 *
 * @param epoch the largest epoch of the sender that is not above the one asked for; 0 when there is none
 * @param epochId its id, {@code 0} when there is none
 * @param endOffset the byte after its last one (exclusive); the sender's start when there is none
 */
public record ForkAnswer(int epoch, String epochId, long endOffset) {}
