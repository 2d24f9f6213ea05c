package dev.perigee.protocol.header.raft;

/**
 * Header of the answer to RAFT_PEER (20019): who is there.
 *
 * @param cluster the name of its cluster
 * @param broker the name of its broker
 * @param group the name of its group
 * @param self its id among the members
 * @param nodeId the random name of its data folder, hex digits
 * @param run the number of its process
 * @param format the format of the stream that it speaks
 * @param featureLevel the highest feature level of facts that it understands
 * @param leads whether it leads, its own epoch is confirmed, and it is in touch with a majority
 * @param logId of who leads: the name of its log, hex digits; else -
 * @param memberNodeId of who leads: the folder that its log names for the id of who asks, hex digits; - for none
 * @param other of a second process that answers under the id of who asks: its node id, run and place, as text; - for none
 */
public record RaftPeerAnswer(
        String cluster,
        String broker,
        String group,
        String self,
        String nodeId,
        long run,
        int format,
        int featureLevel,
        boolean leads,
        String logId,
        String memberNodeId,
        String other) {}
