package dev.perigee.protocol.header.raft;

/**
 * Header of RAFT_LEAD (20013), one-way: the sender leads its term; the heartbeat.
 *
 * @param group the name of the group
 * @param from who leads
 * @param to who hears it
 * @param term the term
 * @param session in which the receiver is fed; 0 for none
 * @param saidMs when this was said, by a clock of the sender's, milliseconds; given back by the answer
 * @param address where the sender listens for the others, {@code host:port}: a receiver whose log names no members need not know it
 */
public record RaftLeadHeader(
        String group, String from, String to, int term, long session, long saidMs, String address) {}
