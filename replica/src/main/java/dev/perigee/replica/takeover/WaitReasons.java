package dev.perigee.replica.takeover;

import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.protocol.header.replica.HelloHeader;
import java.util.List;
import java.util.stream.Collectors;

/** Why a master that starts does not begin its epoch: what an operator reads, in one line that says what can be done. */
final class WaitReasons {
    private WaitReasons() {}

    /** R10: these were not heard. */
    static String missing(List<InSyncMember> members) {
        return "the start waits for replicas that the log names as in sync, or that have more than it: "
                + members.stream()
                        .map(member -> node(member.brokerId(), member.nodeId()))
                        .collect(Collectors.joining(", "))
                + "; --accept-loss starts without them, and gives up what only they have";
    }

    /** R22: one that came has what this release cannot take over. */
    static String laterRelease(HelloHeader theirs, String notUnderstood) {
        return "this node does not begin as a master: " + node(theirs) + " has what a later release wrote, "
                + notUnderstood + ": start this node with that release, or a later one";
    }

    /** R11: one that came has another branch, which may not be given up. */
    static String parted(HelloHeader theirs, long endOffset) {
        return "this node does not begin as a master: the log of " + node(theirs) + " is in epoch " + theirs.lastEpoch()
                + ", ends at " + theirs.endOffset() + ", confirmed to " + theirs.confirmOffset()
                + ", and parted from this one, which ends at " + endOffset
                + ": start this node as its slave; or --accept-loss gives up what only that one has";
    }

    /** R6: one that came has a log, and this node none. */
    static String anotherLog(HelloHeader theirs) {
        return "this node does not begin a log: its folder is empty, and " + node(theirs) + " has log " + theirs.logId()
                + ", which ends at " + theirs.endOffset() + ", confirmed to " + theirs.confirmOffset()
                + ": make that one the master and start this one as its slave; or --accept-loss begins a new log, and gives up what is in"
                + " that one";
    }

    /** R10: more was confirmed than anybody has who came. */
    static String lost(long knownConfirmed, long endOffset) {
        return "this node does not begin as a master: it knew all below " + knownConfirmed
                + " to be confirmed, its log ends at " + endOffset
                + ", and no replica that came has more: start the one that has; or --accept-loss gives that up";
    }

    /** R5: this node answered, as a slave, for bytes that it may have forgotten. */
    static String mayHaveForgotten(long endOffset) {
        return "this node does not begin as a master: it was a slave whose log may have lost acknowledged messages, when its"
                + " machine went down or its end was cut off, and it was not filled again since; its log ends at "
                + endOffset
                + ": start it as the slave of the one that was its master; or --accept-loss gives up what is missing";
    }

    private static String node(HelloHeader hello) {
        return node(hello.brokerId(), hello.nodeId());
    }

    private static String node(long brokerId, String nodeId) {
        return "brokerId " + brokerId + " (node " + nodeId + ")";
    }
}
