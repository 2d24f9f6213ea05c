package dev.perigee.protocol.header.raft;

/**
 * Header of RAFT_PEER (20019): asks a member of a group who it is, whenever a connection to it opens.
 *
 * @param group the name of the group of who asks
 * @param from who asks, an id among the members; - of one that only wants to know
 * @param nodeId the random name of the data folder of who asks, hex digits
 * @param run the number of its process
 */
public record RaftPeerHeader(String group, String from, String nodeId, long run) {
    /** In the place of an id, or of hex digits: none. */
    public static final String NONE = "-";
}
