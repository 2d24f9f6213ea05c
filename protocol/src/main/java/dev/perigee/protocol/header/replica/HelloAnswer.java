package dev.perigee.protocol.header.replica;

/**
 * Header of the answer to REPLICA_HELLO when the sender takes the replica in: who it is, and what it has.
 *
 * @param clusterName the cluster of the sender
 * @param brokerName its name
 * @param brokerId its id, 0 for a master
 * @param nodeId the random name of its data folder
 * @param logId the name of its log
 * @param epoch the epoch it writes in
 * @param epochId the id of that epoch
 * @param startOffset the first byte it still has; where an empty replica begins
 * @param endOffset the byte after its last one (exclusive)
 * @param confirmOffset how far its log may be seen
 * @param format the format of the stream that both speak
 * @param featureLevel the feature level of the facts in its log
 * @param segmentSizeBytes the size of the files of its log
 */
public record HelloAnswer(
        String clusterName,
        String brokerName,
        long brokerId,
        String nodeId,
        String logId,
        int epoch,
        String epochId,
        long startOffset,
        long endOffset,
        long confirmOffset,
        int format,
        int featureLevel,
        int segmentSizeBytes) {}
