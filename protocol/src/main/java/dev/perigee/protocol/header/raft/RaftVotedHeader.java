package dev.perigee.protocol.header.raft;

/**
 * Header of RAFT_VOTED (20012), one-way: the answer to RAFT_VOTE.
 *
 * @param group the name of the group
 * @param from who answers
 * @param to who asked
 * @param term of the vote that is granted; of who refuses, its own
 * @param phase as it was asked
 * @param granted whether it is
 * @param nodeId the random name of the data folder of who answers, hex digits
 * @param restoring whether it may have forgotten bytes that it answered for
 * @param lastEpoch the epoch of the last byte of its log; 0 when it is empty
 * @param endOffset the byte after that (exclusive)
 * @param askedEpoch as lastEpoch in what it answers, so that another process of that id does not count it
 * @param askedOffset as endOffset there
 */
public record RaftVotedHeader(
        String group,
        String from,
        String to,
        int term,
        String phase,
        boolean granted,
        String nodeId,
        boolean restoring,
        int lastEpoch,
        long endOffset,
        int askedEpoch,
        long askedOffset) {}
