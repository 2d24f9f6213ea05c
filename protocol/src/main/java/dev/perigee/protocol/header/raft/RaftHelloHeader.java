package dev.perigee.protocol.header.raft;

/**
 * Header of RAFT_HELLO (20016): a follower asks its leader to be fed over this connection, by the frames of replicas from there on.
 *
 * @param group the name of the group
 * @param from who asks
 * @param to who leads
 * @param term the leader's
 * @param session a random number, not 0, that all frames of the stream repeat (R5)
 * @param run a random number of the running process, the same in all its hellos, never 0: two processes over one folder and its copy
 *     have two
 * @param nodeId the random name of its data folder, hex digits (R6)
 * @param restoring whether it may have forgotten bytes that it answered for (R5)
 * @param logId the name of its log, hex digits; {@code 0} when it is empty
 * @param lastEpoch the epoch of its last byte; 0 when it is empty
 * @param lastEpochId the id of that epoch, hex digits
 * @param endOffset the byte after its last one (exclusive)
 * @param format the newest format of the stream that it speaks
 * @param featureLevel the highest feature level of facts that it understands
 * @param windowBytes how many bytes it takes ahead of what it holds
 */
public record RaftHelloHeader(
        String group,
        String from,
        String to,
        int term,
        long session,
        long run,
        String nodeId,
        boolean restoring,
        String logId,
        int lastEpoch,
        String lastEpochId,
        long endOffset,
        int format,
        int featureLevel,
        int windowBytes) {}
