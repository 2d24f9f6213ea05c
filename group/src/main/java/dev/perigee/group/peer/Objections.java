package dev.perigee.group.peer;

import dev.perigee.protocol.header.raft.RaftPeerAnswer;
import dev.perigee.protocol.header.raft.RaftPeerHeader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What is against being in one group with who answered where a peer should be; each names the values of both. Pure functions. */
final class Objections {
    private Objections() {}

    /** Nobody of a group is there. */
    static String noMember(PeerIdentity self, String peer) {
        return peer + " is no peer of " + name(self)
                + ": who listens there is no member of a group, or one of another version or make";
    }

    /** Who is there is none of this member's group. */
    static Optional<String> toPeer(PeerIdentity self, String id, String peer, RaftPeerAnswer theirs) {
        List<String> all = new ArrayList<>();
        compare(all, "cluster", theirs.cluster(), self.cluster());
        compare(all, "broker name", theirs.broker(), self.broker());
        compare(all, "group", theirs.group(), self.group());
        if (!theirs.self().equals(id)) {
            all.add("its id is " + theirs.self() + ", not " + id);
        }
        compare(all, "format of the stream", theirs.format(), self.format());
        if (theirs.featureLevel() > self.featureLevel()) { // who is behind is upgraded next
            compare(all, "feature level", theirs.featureLevel(), self.featureLevel());
        }
        return all.isEmpty()
                ? Optional.empty()
                : Optional.of(peer + " is no peer of " + name(self) + ": " + String.join("; ", all));
    }

    /** Whether who is there is that member, be it of another version. */
    static boolean isMember(PeerIdentity self, String id, RaftPeerAnswer theirs) {
        return theirs.cluster().equals(self.cluster())
                && theirs.broker().equals(self.broker())
                && theirs.group().equals(self.group())
                && theirs.self().equals(id);
    }

    private static void compare(List<String> all, String what, Object theirs, Object own) {
        if (!theirs.equals(own)) {
            all.add("its " + what + " is " + theirs + ", here it is " + own);
        }
    }

    /**
     * The group knows another process as this member.
     *
     * @param logId the name of this member's log; {@link RaftPeerHeader#NONE} of an empty one
     */
    static Optional<String> toSelf(PeerIdentity self, String logId, String peer, RaftPeerAnswer theirs) {
        if (isSaid(theirs.other())) {
            return Optional.of(name(self) + " is there twice: this process (" + self.process()
                    + ") and, as " + peer + " says, " + theirs.other()
                    + ": two processes have one id, or one folder is a copy; start only one of them");
        }
        if (isSaid(theirs.memberNodeId()) && !theirs.memberNodeId().equals(self.nodeId())) {
            return Optional.of("the leader " + peer + " knows " + self.id() + " as node " + theirs.memberNodeId()
                    + ", and this data folder is node " + self.nodeId()
                    + ": use that one's folder; if its disk is gone, 'perigee raft remove " + self.broker() + " "
                    + self.id() + "', start this one again, and add it with 'perigee raft add'");
        }
        if (isSaid(theirs.logId()) && isSaid(logId) && !theirs.logId().equals(logId)) {
            return Optional.of("the leader " + peer + " has log " + theirs.logId() + ", and this data folder has log "
                    + logId + ": it is of another group of that name; use the right folder, or an empty one");
        }
        return Optional.empty();
    }

    private static boolean isSaid(String text) {
        return !text.equals(RaftPeerHeader.NONE);
    }

    private static String name(PeerIdentity self) {
        return self.id() + " of group " + self.group();
    }
}
