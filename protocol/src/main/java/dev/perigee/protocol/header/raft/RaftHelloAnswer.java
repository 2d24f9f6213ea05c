package dev.perigee.protocol.header.raft;

/**
 * Header of the answer to RAFT_HELLO when the leader feeds the follower.
 *
 * @param term the leader's
 * @param lastResort whether it was elected by all because too few were sure of what they held (R5)
 * @param logId the name of its log, hex digits
 * @param startOffset the first byte it still has; where an empty follower begins
 * @param endOffset the byte after its last one (exclusive)
 * @param format the format of the stream that both speak
 * @param featureLevel the feature level of the facts in its log
 */
public record RaftHelloAnswer(
        int term, boolean lastResort, String logId, long startOffset, long endOffset, int format, int featureLevel) {}
