package dev.perigee.protocol.header.raft;

/**
 * Header of RAFT_VOTE (20011), one-way: asks for a vote, or whether there would be one.
 *
 * @param group the name of the group
 * @param from who asks, an id among the members
 * @param to who is asked
 * @param term the term in which it stands, or would
 * @param phase {@code PRE} when nobody is bound by the answer, {@code REAL} when it is a vote
 * @param reason {@code SILENCE}, {@code TRANSFER} or {@code LAST_RESORT}
 * @param lastEpoch the epoch of the last byte of its log; 0 when it is empty
 * @param endOffset the byte after that (exclusive)
 * @param begins the ids of the voters by its settings, sorted and with commas between, while its log does not name the members; else
 *     empty
 */
public record RaftVoteHeader(
        String group,
        String from,
        String to,
        int term,
        String phase,
        String reason,
        int lastEpoch,
        long endOffset,
        String begins) {}
