package dev.perigee.group;

import dev.perigee.loop.Immutable;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import dev.perigee.remoting.address.AddressText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What the settings say of a group.
 *
 * @param cluster of the broker
 * @param broker its name
 * @param group the name of the group, which is the broker's unless the settings say another one
 * @param selfId which of the peers this node is
 * @param peers all of them, this node among them; once the log names members, those count (R15)
 * @param electionTimeoutMs for so long a leader may be unheard
 * @param heartbeatMs how often a leader speaks, at most a third of that
 * @param catchUpBytesPerSec how fast a member that is far behind is fed; 0 for as fast as it goes
 */
@Immutable
public record GroupConfig(
        String cluster,
        String broker,
        String group,
        String selfId,
        List<Peer> peers,
        long electionTimeoutMs,
        long heartbeatMs,
        long catchUpBytesPerSec) {
    public static final long ELECTION_TIMEOUT_MS = 1_000;
    public static final long HEARTBEAT_MS = 150;

    /** How peers are written. */
    public static final String FORM = "id-host:port for each member, separated by semicolons, such as"
            + " n0-10.0.0.1:40911;n1-10.0.0.2:40911;n2-10.0.0.3:40911";

    /** More would wait for each other only. */
    private static final int MAX_PEERS = 32;

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_.]{1,63}");

    /**
     * Checks that this can be a group.
     *
     * @throws IllegalArgumentException with both values, when two peers have one id or one address, or this node is none of them
     */
    public GroupConfig {
        peers = List.copyOf(peers);
        if (group.isBlank()) {
            throw new IllegalArgumentException("a group without a name");
        }
        requireGroup(peers);
        if (peers.stream().map(Peer::id).noneMatch(selfId::equals)) {
            throw new IllegalArgumentException("this node is " + selfId + ", which is none of " + text(peers));
        }
    }

    private static void requireGroup(List<Peer> peers) {
        if (peers.isEmpty() || peers.size() > MAX_PEERS) {
            throw new IllegalArgumentException("1 to " + MAX_PEERS + " peers, not " + peers.size());
        }
        Map<String, Peer> seen = new HashMap<>();
        for (Peer peer : peers) {
            for (String name : List.of(peer.id(), peer.address())) {
                Peer before = seen.put(name, peer);
                if (before != null) {
                    throw new IllegalArgumentException(
                            "each id and each address once, but " + before + " and " + peer + " both have " + name);
                }
            }
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
            if (!ID.matcher(id).matches() || AddressText.parse(address).isEmpty()) {
                throw new IllegalArgumentException(FORM + ", not " + id + "-" + address);
            }
        }

        /** As the settings say it. */
        @Override
        public String toString() {
            return id + "-" + address;
        }
    }

    /** Of a group that is called as the broker, with the usual times. */
    public static GroupConfig of(String cluster, String group, String selfId, List<Peer> peers) {
        return new GroupConfig(cluster, group, group, selfId, peers, ELECTION_TIMEOUT_MS, HEARTBEAT_MS, 0);
    }

    /**
     * The peers of a setting as RocketMQ's users know it: {@code n0-host:port;n1-host:port}. An id ends at the first hyphen.
     *
     * @throws IllegalArgumentException saying what is wanted and what is there, when a part is no peer, or they can be no group
     */
    public static List<Peer> peers(String text) {
        List<Peer> peers = new ArrayList<>();
        for (String part : text.split(";")) {
            String one = part.strip();
            if (!one.isEmpty()) {
                int hyphen = one.indexOf('-');
                if (hyphen < 0) {
                    throw new IllegalArgumentException(FORM + ", not " + one);
                }
                peers.add(new Peer(one.substring(0, hyphen), one.substring(hyphen + 1)));
            }
        }
        requireGroup(peers);
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
        return Optional.of("a group of " + voters + ", an even number: " + majority
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
