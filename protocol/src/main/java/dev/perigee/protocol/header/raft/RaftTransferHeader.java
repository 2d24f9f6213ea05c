package dev.perigee.protocol.header.raft;

/**
 * Header of RAFT_TRANSFER (20015), one-way: the leader wants the receiver, which has all its bytes, to stand at once.
 *
 * @param group the name of the group
 * @param from who leads
 * @param to who is to lead
 * @param term the leader's
 */
public record RaftTransferHeader(String group, String from, String to, int term) {}
