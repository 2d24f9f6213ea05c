package dev.perigee.protocol.header.replica;

/**
 * Header of REPLICA_HELLO (20001): who wants to follow, and what it has. Ids of 64 bits but the broker's are texts of hex
 * digits, as in facts; {@code 0} stands for none.
 *
 * @param clusterName the cluster of the replica
 * @param brokerName the name it shares with its master
 * @param brokerId its id within that name, above 0
 * @param nodeId the random name of its data folder
 * @param logId the name of its log; {@code 0} when it is empty
 * @param lastEpoch the epoch of its last byte; 0 when it is empty
 * @param lastEpochId the id of that epoch
 * @param startOffset the first byte it has
 * @param endOffset the byte after its last one (exclusive)
 * @param confirmOffset the highest confirm offset it was ever told; it gives up nothing below
 * @param format the newest format of the stream that it speaks
 * @param featureLevel the highest feature level of facts that it understands
 * @param session a random number that all frames of this connection repeat, never 0
 * @param run a random number of the running process, the same in all its hellos, never 0: two processes over one folder and its copy
 *     have two
 * @param windowBytes how many bytes it takes ahead of what it holds
 * @param restoring whether it may have forgotten bytes that it answered for, and counts for nothing until it says hello without this
 */
public record HelloHeader(
        String clusterName,
        String brokerName,
        long brokerId,
        String nodeId,
        String logId,
        int lastEpoch,
        String lastEpochId,
        long startOffset,
        long endOffset,
        long confirmOffset,
        int format,
        int featureLevel,
        long session,
        long run,
        int windowBytes,
        boolean restoring) {}
