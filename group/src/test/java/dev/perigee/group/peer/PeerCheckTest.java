package dev.perigee.group.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.raft.RaftPeerAnswer;
import dev.perigee.protocol.header.raft.RaftPeerHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.replica.sync.ReplicaSlots;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a member that starts makes of who answers where its peers should be. */
final class PeerCheckTest {
    private static final int FIRST_PORT = 10_911;
    private static final String OWN_LOG = "1d";
    private static final long MINUTE_MS = 60_000;

    private long nowMs = 1_000;
    private final Clock clock = new Clock() {
        @Override
        public long wallMs() {
            return nowMs;
        }

        @Override
        public long monotonicNs() {
            return nowMs * 1_000_000;
        }
    };
    private final MemoryTransport network = new MemoryTransport(clock);
    private final RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, network, clock);
    private final Map<String, Connection> links = new HashMap<>();
    private final Set<String> elsewhere = new HashSet<>();
    private final Set<String> fitting = new HashSet<>();
    private final List<String> refusals = new ArrayList<>();
    private Members members = members(0);
    private int asked;

    private final PeerCheck check = new PeerCheck(
            new PeerIdentity("cluster", "broker-a", "group-a", "n0", "a0", 7, 1, 1),
            new PeerCheck.Ground(
                    new PeerCheck.Links() {
                        @Override
                        public Optional<Connection> link(String id) {
                            return Optional.ofNullable(links.get(id));
                        }

                        @Override
                        public void fits(String id, Connection connection) {
                            fitting.add(id);
                        }

                        @Override
                        public boolean isElsewhere(String id, String address) {
                            return elsewhere.remove(address);
                        }
                    },
                    () -> members,
                    () -> false,
                    () -> OWN_LOG,
                    new ReplicaSlots(),
                    network,
                    clock));

    PeerCheckTest() {
        check.onRefused(refusals::add);
    }

    private static Members members(long nodeIds) {
        return Members.ofVoters(List.of(
                new Member("n0", nodeIds, "h:1"), new Member("n1", nodeIds, "h:2"), new Member("n2", nodeIds, "h:3")));
    }

    /** A peer that fits, but for what a test changes. */
    private static RaftPeerAnswer peer(String id) {
        return new RaftPeerAnswer("cluster", "broker-a", "group-a", id, "b1", 8, 1, 1, false, "-", "-", "-");
    }

    /** With one field as a test wants it. */
    private static RaftPeerAnswer changed(RaftPeerAnswer peer, String field, String value) {
        Map<String, String> all = new HashMap<>(Map.of(field, value));
        return new RaftPeerAnswer(
                all.getOrDefault("cluster", peer.cluster()),
                all.getOrDefault("broker", peer.broker()),
                all.getOrDefault("group", peer.group()),
                all.getOrDefault("self", peer.self()),
                peer.nodeId(),
                peer.run(),
                Integer.parseInt(all.getOrDefault("format", "1")),
                Integer.parseInt(all.getOrDefault("level", "1")),
                all.containsKey("logId"),
                all.getOrDefault("logId", "-"),
                all.getOrDefault("memberNodeId", "-"),
                all.getOrDefault("other", "-"));
    }

    private void pass(long ms) {
        for (long end = nowMs + ms; nowMs < end; nowMs += 10) {
            network.runUntilIdle(10_000);
        }
    }

    private void reach(String id, RaftPeerAnswer answer) throws Exception {
        reach(
                id,
                HandlerTable.builder()
                        .on(Rpcs.RAFT_PEER, (request, reply) -> {
                            asked++;
                            reply.ok(answer);
                        })
                        .build());
    }

    private void reach(String id, HandlerTable handlers) throws Exception {
        int port = FIRST_PORT + links.size();
        new RemotingServer(ServerConfig.of("127.0.0.1", port), handlers, network, clock).start();
        CompletableFuture<Connection> connected = client.connect("127.0.0.1:" + port);
        pass(20);
        links.put(id, connected.join());
        check.reached(id, "127.0.0.1:" + port, connected.join());
        pass(20);
    }

    @ParameterizedTest
    @CsvSource({
        "cluster, cluster-b, cluster",
        "broker, broker-b, broker-a",
        "group, group-b, group-a",
        "self, n2, n1",
        "format, 2, 1",
        "level, 3, 1"
    })
    void whoIsOfAnotherGroupOrVersionIsRefusedNamingBoth(String field, String theirs, String ours) throws Exception {
        reach("n1", changed(peer("n1"), field, theirs));

        assertThat(refusals).singleElement().asString().contains("n1-127.0.0.1:" + FIRST_PORT, theirs, ours);
        pass(5_000);
        assertThat(refusals).hasSize(1);
    }

    @Test
    void whoIsInThePlaceOfAMemberThatMayBeElsewhereIsNoPeerThatDoesNotFit() throws Exception {
        String address = "127.0.0.1:" + FIRST_PORT;
        elsewhere.add(address);
        reach("n1", changed(peer("n1"), "self", "n2"));
        assertThat(refusals).isEmpty();
        assertThat(elsewhere).as("it was asked").isEmpty();

        pass(5_000); // the same again, and now it can be nowhere else

        assertThat(refusals).singleElement().asString().contains("n1-" + address, "n2");
    }

    /** R8-14: as where the log says 10.0.0.1 and the settings its name. */
    @Test
    void aMemberOfALaterVersionIsUsedWhereItIsAndNotLookedForElsewhere() throws Exception {
        check.settle();
        String address = "127.0.0.1:" + FIRST_PORT;
        elsewhere.add(address);

        reach("n1", changed(peer("n1"), "level", "3"));
        pass(5_000);

        assertThat(fitting).containsExactly("n1");
        assertThat(elsewhere).as("that was not asked").containsExactly(address);
        assertThat(refusals).isEmpty();
    }

    @Test
    void anotherFolderUnderTheIdOfAMemberThatMayBeElsewhereIsNotTakenForIt() throws Exception {
        members = members(0xb2);
        elsewhere.add("127.0.0.1:" + FIRST_PORT);

        reach("n1", changed(peer("n1"), "other", "node b1, run 9"));
        assertThat(refusals).as("what that one says is not said of this group").isEmpty();
        assertThat(elsewhere).isEmpty();
        assertThat(fitting).isEmpty();
    }

    @Test
    void whoIsNoMemberOfAGroupIsRefused() throws Exception {
        reach("n1", HandlerTable.builder().build());

        assertThat(refusals).singleElement().asString().contains("n1-127.0.0.1:" + FIRST_PORT, "no member of a group");
    }

    @ParameterizedTest
    @CsvSource({
        "memberNodeId, b7, a0, raft remove",
        "logId, 2e, 1d, another group",
        "other, 'node a0, run 9, at h:9', run 7, two processes"
    })
    void whoIsAnotherOneThanTheGroupKnowsIsRefusedNamingBoth(String field, String theirs, String ours, String why)
            throws Exception {
        reach("n1", changed(peer("n1"), field, theirs));

        assertThat(refusals).singleElement().asString().contains(theirs, ours, why);
    }

    @Test
    void peersThatFitAreAskedUntilThisOneIsFed() throws Exception {
        check.expect(List.of("n1", "n2"));
        reach("n1", peer("n1"));
        reach("n2", changed(peer("n2"), "level", "0"));
        pass(3_000);
        assertThat(asked).isGreaterThanOrEqualTo(6);

        check.settle();
        pass(2_000);
        int before = asked;
        pass(5_000);

        assertThat(asked).isEqualTo(before);
        assertThat(refusals).isEmpty();
    }

    @Test
    void whatIsFoundLaterStopsNobody() throws Exception {
        check.settle();
        reach("n1", changed(peer("n1"), "group", "group-b"));
        reach("n2", changed(peer("n2"), "other", "node a0"));

        assertThat(refusals).isEmpty();
    }

    @Test
    void aMemberBearsAsManyWrongPeersAsLeaveAMajority() throws Exception {
        members = members(5);
        reach("n1", changed(peer("n1"), "group", "group-b"));
        pass(3_000);
        assertThat(refusals).isEmpty();

        reach("n2", changed(peer("n2"), "group", "group-c"));
        assertThat(refusals).singleElement().asString().contains("group-b", "group-c");
    }

    @Test
    void theFirstRoundIsOverWhenEachHasAnsweredOrIsNotThere() throws Exception {
        check.expect(List.of("n1", "n2"));
        check.notReached("n2");
        reach("n1", peer("n1"));

        long beganNs = System.nanoTime();
        assertThat(check.await(MINUTE_MS)).isEmpty();
        assertThat(System.nanoTime() - beganNs)
                .as("it did not wait for its limit")
                .isLessThan(MINUTE_MS * 1_000_000);
    }

    @Test
    void whoWaitsForTheFirstRoundHearsWhyItIsRefused() throws Exception {
        check.expect(List.of("n1", "n2"));
        check.notReached("n2");
        reach("n1", changed(peer("n1"), "cluster", "cluster-b"));

        assertThat(check.await(MINUTE_MS))
                .hasValueSatisfying(why -> assertThat(why).contains("cluster-b"));
    }

    @Test
    void whoAsksHearsWhoElseIsThereUnderItsId() throws Exception {
        reach("n1", peer("n1"));
        CompletableFuture<Connection> connected = client.connect("127.0.0.1:" + listen());
        pass(20);
        CompletableFuture<RaftPeerAnswer> first = ask(connected.join(), new RaftPeerHeader("group-a", "n1", "b1", 8));
        CompletableFuture<RaftPeerAnswer> second = ask(connected.join(), new RaftPeerHeader("group-a", "n1", "b1", 9));
        CompletableFuture<RaftPeerAnswer> third = ask(connected.join(), new RaftPeerHeader("group-a", "n2", "c1", 4));
        pass(20);

        assertThat(first.join().other()).as("it is the one that is there").isEqualTo("-");
        assertThat(second.join().other()).contains("node b1", "run 8", "127.0.0.1:" + FIRST_PORT);
        assertThat(third.join().other()).as("nobody is known there").isEqualTo("-");
    }

    private int listen() throws Exception {
        int port = FIRST_PORT + 100;
        new RemotingServer(
                        ServerConfig.of("127.0.0.1", port),
                        HandlerTable.builder().on(Rpcs.RAFT_PEER, check::asked).build(),
                        network,
                        clock)
                .start();
        return port;
    }

    private CompletableFuture<RaftPeerAnswer> ask(Connection connection, RaftPeerHeader question) {
        return connection
                .call(Rpcs.RAFT_PEER, question, null, Deadline.after(clock, 5_000))
                .thenApply(answer -> answer.require());
    }
}
