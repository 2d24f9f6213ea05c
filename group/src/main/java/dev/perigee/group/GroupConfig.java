package dev.perigee.group;

import dev.perigee.loop.Immutable;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import java.util.List;

/**
 * What the settings say of a group.
 *
 * @param cluster of the broker
 * @param group its name, which is the broker's
 * @param selfId which of the peers this node is
 * @param peers all of them, this node among them; once the log names members, those count (R15)
 * @param electionTimeoutMs for so long a leader may be unheard
 * @param heartbeatMs how often a leader speaks, at most a third of that
 */
@Immutable
public record GroupConfig(
        String cluster, String group, String selfId, List<Peer> peers, long electionTimeoutMs, long heartbeatMs) {
    public static final long ELECTION_TIMEOUT_MS = 1_000;
    public static final long HEARTBEAT_MS = 150;

    public GroupConfig {
        peers = List.copyOf(peers);
    }

    /**
     * One of them.
     *
     * @param id for instance {@code n0}
     * @param address where it listens for the others, {@code host:port}
     */
    @Immutable
    public record Peer(String id, String address) {}

    /** With the usual times. */
    public static GroupConfig of(String cluster, String group, String selfId, List<Peer> peers) {
        return new GroupConfig(cluster, group, selfId, peers, ELECTION_TIMEOUT_MS, HEARTBEAT_MS);
    }

    Members configured() {
        return Members.ofVoters(peers.stream()
                .map(peer -> new Member(peer.id(), 0, peer.address()))
                .toList());
    }
}
