package dev.perigee.replica.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.replica.RangeAnswer;
import dev.perigee.protocol.header.replica.RangeHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.AnsweringPeers;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RequestHandler;
import dev.perigee.remoting.transport.Payload;
import dev.perigee.replica.follow.Confirmed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PeerRangeTest {
    private static final Confirmed CONFIRMED = new Confirmed(1_000, 3, 0xbeef);

    private final AnsweringPeers peers = new AnsweringPeers();
    private final List<RangeHeader> asked = new ArrayList<>();

    @AfterEach
    void close() {
        peers.close();
    }

    private String peer(RequestHandler<RangeHeader, RangeAnswer> handler) throws Exception {
        return peers.add(HandlerTable.builder().on(Rpcs.REPLICA_RANGE, handler).build());
    }

    private byte[] fetch(String... addresses) throws IOException {
        return new PeerRange(peers.client(), () -> List.of(addresses), Clock.system()).fetch(0xf00d, CONFIRMED, 500);
    }

    @Test
    void asksOneAfterTheOtherUntilOneHasIt() throws Exception {
        String other = peer((request, reply) -> reply.fail(ResponseCode.SYSTEM_ERROR, "another branch"));
        String holder = peer((request, reply) -> {
            asked.add(request.header());
            reply.ok(new RangeAnswer(503, 1_000), Payload.of(new byte[] {1, 2, 3}));
        });
        assertThat(fetch(other, holder)).containsExactly(1, 2, 3);
        assertThat(asked).containsExactly(new RangeHeader("f00d", 500, 1_000, 3, "beef"));
    }

    @Test
    void saysWhatAllAnsweredWhenNobodyHasIt() throws Exception {
        String other = peer((request, reply) -> reply.fail(ResponseCode.SYSTEM_ERROR, "another branch"));
        assertThatThrownBy(() -> fetch(other))
                .isInstanceOf(IOException.class)
                .satisfies(e -> assertThat(e.getSuppressed()[0])
                        .hasMessageContaining(other)
                        .hasMessageContaining("another branch"));
    }

    @Test
    void doesNotWaitWhenNobodyIsKnown() {
        assertThatThrownBy(this::fetch).isInstanceOf(IOException.class).hasMessageContaining("no other broker");
    }

    @Test
    void asksAgainWhoIsBusy() throws Exception {
        String busy = peer((request, reply) -> {
            asked.add(request.header());
            if (asked.size() < 2) {
                reply.fail(ResponseCode.SYSTEM_BUSY, "later");
            } else {
                reply.ok(new RangeAnswer(501, 1_000), Payload.of(new byte[] {7}));
            }
        });
        assertThat(fetch(busy)).containsExactly(7);
    }
}
