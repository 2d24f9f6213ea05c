package dev.perigee.group.peer;

import dev.perigee.loop.Immutable;

/**
 * Who a member is, as it says it to who asks.
 *
 * @param cluster of its broker
 * @param broker the name of that
 * @param group the name of the group
 * @param id which of the members it is
 * @param nodeId the random name of its data folder, hex digits (R6)
 * @param run a number of this process, not 0
 * @param format the format of the stream that it speaks
 * @param featureLevel the highest feature level of facts that it understands
 */
@Immutable
public record PeerIdentity(
        String cluster, String broker, String group, String id, String nodeId, long run, int format, int featureLevel) {
    /** A process over a folder, for texts. */
    static String process(String nodeId, long run) {
        return "node " + nodeId + ", run " + Long.toHexString(run);
    }

    /** This process. */
    String process() {
        return process(nodeId, run);
    }
}
