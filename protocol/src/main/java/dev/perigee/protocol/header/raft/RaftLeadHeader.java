package dev.perigee.protocol.header.raft;

/**
 * Header of RAFT_LEAD (20013), one-way: the sender leads its term; the heartbeat.
 *
 * @param group the name of the group
 * @param from who leads
 * @param to who hears it
 * @param term the term
 * @param session in which the receiver is fed; 0 for none
 */
public record RaftLeadHeader(String group, String from, String to, int term, long session) {}
