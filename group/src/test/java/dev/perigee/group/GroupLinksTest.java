package dev.perigee.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.memory.MemoryTransport;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class GroupLinksTest {
    private static final long LOOK_MS = 500;
    private static final int PORT = 10_911;
    private static final int OTHER_PORT = 10_912;

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
            "n0", new RemotingClient(ClientConfig.DEFAULT, network, clock), network, new RaftInbox(), LOOK_MS);

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
        return Members.ofVoters(List.of(new Member("n1", nodeId, "127.0.0.1:" + port)));
    }

    private void pass(long ms) {
        for (long end = nowMs + ms; nowMs < end; nowMs += 10) {
            network.runUntilIdle(10_000);
        }
    }

    private Connection link() {
        return links.to("n1").orElseThrow();
    }

    private void ask() {
        assertThat(links.toAsk("n1")).isPresent();
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
