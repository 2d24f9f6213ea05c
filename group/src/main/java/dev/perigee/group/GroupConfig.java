package dev.perigee.group;

import dev.perigee.loop.Immutable;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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

    private static final int MAX_PEERS = 32;
    private static final int MAX_PORT = 65_535;

    /**
     * Checks that the peers can be a group.
     *
     * @throws IllegalArgumentException with both values, when two peers have one id or one address, or this node is none of them
     */
    public GroupConfig {
        peers = List.copyOf(peers);
        if (group.isBlank()) {
            throw new IllegalArgumentException("dLegerGroup is empty, wanted the name of the group");
        }
        if (peers.isEmpty() || peers.size() > MAX_PEERS) {
            throw new IllegalArgumentException(
                    "dLegerPeers names " + peers.size() + " peers, wanted 1 to " + MAX_PEERS);
        }
        Map<String, Peer> byId = new HashMap<>();
        Map<String, Peer> byAddress = new HashMap<>();
        for (Peer peer : peers) {
            requireOther(byId.putIfAbsent(peer.id(), peer), peer, "id " + peer.id());
            requireOther(byAddress.putIfAbsent(peer.address(), peer), peer, "address " + peer.address());
        }
        if (!byId.containsKey(selfId)) {
            throw new IllegalArgumentException("dLegerSelfId=" + selfId + " is not among dLegerPeers=" + text(peers));
        }
    }

    private static void requireOther(@Nullable Peer before, Peer peer, String what) {
        if (before != null) {
            throw new IllegalArgumentException("dLegerPeers names " + what + " twice: " + before + " and " + peer);
        }
    }

    /**
     * One of them.
     *
     * @param id for instance {@code n0}
     * @param address where it listens for the others, {@code host:port}
     */
    @Immutable
    public record Peer(String id, String address) {
        /** @throws IllegalArgumentException when it has no id, or its address is none */
        public Peer {
            int colon = address.lastIndexOf(':');
            if (id.isBlank() || colon < 1 || !isPort(address.substring(colon + 1))) {
                throw new IllegalArgumentException("dLegerPeers names " + id + "-" + address
                        + ", wanted id-host:port with a port of 1 to " + MAX_PORT);
            }
        }

        private static boolean isPort(String text) {
            try {
                int port = Integer.parseInt(text);
                return port >= 1 && port <= MAX_PORT;
            } catch (NumberFormatException e) {
                return false;
            }
        }

        /** As the settings say it. */
        @Override
        public String toString() {
            return id + "-" + address;
        }
    }

    /** With the usual times. */
    public static GroupConfig of(String cluster, String group, String selfId, List<Peer> peers) {
        return new GroupConfig(cluster, group, selfId, peers, ELECTION_TIMEOUT_MS, HEARTBEAT_MS);
    }

    /**
     * The peers of a setting as RocketMQ's users know it: {@code n0-host:port;n1-host:port}. An id ends at the first hyphen.
     *
     * @throws IllegalArgumentException naming the part that is no peer
     */
    public static List<Peer> peers(String text) {
        List<Peer> peers = new ArrayList<>();
        for (String part : text.split(";")) {
            String one = part.strip();
            int hyphen = one.indexOf('-');
            if (!one.isEmpty()) {
                if (hyphen < 0) {
                    throw new IllegalArgumentException("dLegerPeers names " + one + ", wanted id-host:port");
                }
                peers.add(new Peer(one.substring(0, hyphen), one.substring(hyphen + 1)));
            }
        }
        return peers;
    }

    private static String text(List<Peer> peers) {
        return peers.stream().map(Peer::toString).collect(Collectors.joining(";"));
    }

    /** What an operator is told of a group that is allowed and wastes something; empty for nothing. */
    public Optional<String> warning() {
        int voters = peers.size();
        int majority = voters / 2 + 1;
        if (voters % 2 != 0) {
            return Optional.empty();
        }
        return Optional.of("dLegerPeers names " + voters + " peers, an even number: " + majority
                + " of them must live, so no more may fail than of " + (voters - 1)
                + ", and halves that cannot reach each other both stand still");
    }

    /** Where this node listens for the others. */
    String selfAddress() {
        return peers.stream()
                .filter(peer -> peer.id().equals(selfId))
                .map(Peer::address)
                .findFirst()
                .orElseThrow();
    }

    Members configured() {
        return Members.ofVoters(peers.stream()
                .map(peer -> new Member(peer.id(), 0, peer.address()))
                .toList());
    }
}
