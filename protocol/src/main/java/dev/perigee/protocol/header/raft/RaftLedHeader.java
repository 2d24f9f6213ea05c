package dev.perigee.protocol.header.raft;

/**
 * Header of RAFT_LED (20014), one-way: the leader was heard, or leads no more.
 *
 * @param group the name of the group
 * @param from who heard it
 * @param to who said that it leads
 * @param term of who answers: a later one says that the other leads no more
 * @param session the one that streams; 0 for none
 * @param heldOffset what is held in it, as in REPLICA_HELD (exclusive); 0 without a session
 * @param saidMs as in what it answers; 0 in an answer to an earlier term
 * @param nodeId the random name of the data folder of who answers, hex digits
 */
public record RaftLedHeader(
        String group, String from, String to, int term, long session, long heldOffset, long saidMs, String nodeId) {}
