package dev.perigee.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.group.peer.PeerCheck;
import dev.perigee.group.peer.PeerIdentity;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.raft.RaftPeerHeader;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.ConnectionLimits;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.replica.sync.ReplicaSlots;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class GroupLinksTest {
    private static final long LOOK_MS = 500;
    private static final int PORT = 10_911;
    private static final int OTHER_PORT = 10_912;
    private static final int UNUSED_PORT = 10_913;

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
    private final GroupLinks links = new GroupLinks(
            "n0",
            Map.of("n1", "127.0.0.1:" + PORT),
            new RemotingClient(ClientConfig.DEFAULT, network, clock),
            network,
            new RaftInbox(),
            LOOK_MS);

    @BeforeEach
    void listen() throws Exception {
        for (int port : List.of(PORT, OTHER_PORT)) {
            new RemotingServer(
                            ServerConfig.of("127.0.0.1", port),
                            HandlerTable.builder().build(),
                            network,
                            clock)
                    .start();
        }
    }

    @AfterEach
    void close() {
        links.close();
    }

    private static Members at(long nodeId, int port) {
        return Members.ofVoters(
                List.of(new Member("n0", nodeId, "127.0.0.1:1"), new Member("n1", nodeId, "127.0.0.1:" + port)));
    }

    private void pass(long ms) {
        for (long end = nowMs + ms; nowMs < end; nowMs += 10) {
            network.runUntilIdle(10_000);
        }
    }

    private Connection link() {
        return links.link("n1").orElseThrow();
    }

    private void ask() {
        assertThat(links.toAsk("n1")).isEqualTo(links.to("n1"));
    }

    @Test
    void aLinkOverWhichNothingIsAnsweredIsMadeAnew() {
        links.follow(at(7, PORT));
        pass(100);
        Connection first = link();

        ask();
        pass(GroupLinks.SILENT_LOOKS * LOOK_MS);
        assertThat(link()).isEqualTo(first);
        pass(2 * LOOK_MS + GroupLinks.RETRY_MS);

        assertThat(link()).isNotEqualTo(first);
    }

    @Test
    void aLinkStaysOverWhichIsAnsweredOrNothingAsked() {
        links.follow(at(7, PORT));
        pass(100);
        Connection first = link();

        pass(20 * LOOK_MS);
        for (int i = 0; i < 20; i++) {
            ask();
            links.heard("n1");
            pass(LOOK_MS);
        }

        assertThat(link()).isEqualTo(first);
    }

    /** R6-26: nobody has a link to it, so votes that it asks for are not answered. */
    @Test
    void aLinkOfWhoIsNoMemberYetStaysThoughNothingIsAnswered() {
        links.follow(at(0, PORT));
        pass(100);
        Connection first = link();

        for (int i = 0; i < 20; i++) {
            ask();
            pass(LOOK_MS);
        }

        assertThat(link()).isEqualTo(first);
    }

    /** R6-25: an election that falls into the moment without a link finds no way. */
    @Test
    void aLinkStaysOverWhichFollowersHaveNothingToSay() {
        PeerCheck check = new PeerCheck(
                new PeerIdentity("cluster", "broker-a", "g", "n0", "aa", 1, 1, 1),
                new PeerCheck.Ground(
                        links,
                        () -> at(7, PORT),
                        () -> false,
                        () -> RaftPeerHeader.NONE,
                        new ReplicaSlots(),
                        network,
                        clock));
        check.settle();
        links.onTried(check);
        links.follow(at(7, PORT));
        pass(100);
        Connection first = link();

        pass(3 * ConnectionLimits.DEFAULT.idleMs());

        assertThat(first.isOpen()).isTrue();
        assertThat(link()).isEqualTo(first);
    }

    /** R6-26: it says where it is until that is confirmed. */
    @Test
    void aLeaderThatIsRemovedIsNotReachedAgainWhenAnotherOneLeads() {
        links.follow(at(7, PORT));
        pass(100);
        links.follow(Members.ofVoters(
                List.of(new Member("n0", 7, "127.0.0.1:1"), new Member("n2", 7, "127.0.0.1:" + OTHER_PORT))));
        links.known("n1", "127.0.0.1:" + PORT);
        link().close("it breaks while n1 leads");
        pass(2 * GroupLinks.RETRY_MS);
        assertThat(link().isOpen()).isTrue();

        links.known("n2", "127.0.0.1:" + OTHER_PORT);
        link().close("n1 is stopped");
        pass(2 * GroupLinks.RETRY_MS);

        assertThat(links.to("n1")).isEmpty();
        assertThat(links.address("n1")).isEmpty();
        assertThat(links.to("n2")).isPresent();
    }

    @Test
    void aMemberIsReachedAtItsNewAddress() {
        links.follow(at(7, PORT));
        pass(100);
        assertThat(link().remoteAddress()).endsWith(":" + PORT);

        links.follow(at(8, OTHER_PORT));
        pass(2 * GroupLinks.RETRY_MS);

        assertThat(link().remoteAddress()).endsWith(":" + OTHER_PORT);
    }

    @Test
    void aMemberThatIsNotWhereTheLogSaysIsReachedWhereTheSettingsSay() {
        links.follow(at(7, UNUSED_PORT));
        pass(2 * GroupLinks.RETRY_MS);

        assertThat(link().remoteAddress()).endsWith(":" + PORT);
        assertThat(links.to("n1")).as("nobody knows yet who that is").isEmpty();
        assertThat(links.address("n1")).as("and nothing is handed over to it").isEmpty();
        links.fits("n1", link());
        assertThat(links.to("n1")).contains(link());
        assertThat(links.address("n1")).contains("127.0.0.1:" + PORT);
        assertThat(links.connections()).containsExactly(link());
    }

    @Test
    void aMemberInWhosePlaceSomebodyElseIsIsReachedWhereTheSettingsSay() {
        links.follow(at(7, OTHER_PORT));
        pass(100);
        assertThat(link().remoteAddress()).endsWith(":" + OTHER_PORT);

        assertThat(links.isElsewhere("n1", "127.0.0.1:" + OTHER_PORT)).isTrue();
        pass(2 * GroupLinks.DOUBTFUL_RETRY_MS);
        assertThat(link().remoteAddress()).endsWith(":" + PORT);
        assertThat(links.isElsewhere("n1", "127.0.0.1:" + PORT)).isFalse();
    }

    @Test
    void aMemberThatAnswersNothingWhereTheLogSaysIsTriedWhereTheSettingsSay() {
        links.follow(at(7, OTHER_PORT));
        pass(100);

        ask();
        pass((GroupLinks.SILENT_LOOKS + 2) * LOOK_MS + GroupLinks.RETRY_MS);

        assertThat(link().remoteAddress()).endsWith(":" + PORT);
    }

    @Test
    void whereALeaderSaysThatItIsCountsUntilTheLogTells() {
        links.follow(at(0, PORT));
        pass(100);
        links.known("n1", "127.0.0.1:" + OTHER_PORT);
        pass(2 * GroupLinks.RETRY_MS);
        assertThat(link().remoteAddress()).endsWith(":" + OTHER_PORT);

        links.follow(at(7, PORT));
        pass(2 * GroupLinks.RETRY_MS);
        links.known("n1", "127.0.0.1:" + OTHER_PORT);
        pass(2 * GroupLinks.RETRY_MS);

        assertThat(link().remoteAddress()).endsWith(":" + PORT);
    }
}
