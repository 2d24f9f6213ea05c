package dev.perigee.broker.registration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.remoting.AnsweringPeers;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RequestHandler;
import dev.perigee.remoting.transport.Payload;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PeerEndsTest {
    private static final String OWN = "127.0.0.1:1";
    private static final HaStatus.LogName OWN_LOG = new HaStatus.LogName("f00d", 3, "b");
    private static final long PATIENT_MS = 60_000;

    private final AnsweringPeers peers = new AnsweringPeers();

    @AfterEach
    void close() {
        peers.close();
    }

    private String peer(RequestHandler<NoHeader, NoHeader> handler) throws Exception {
        return peers.add(
                HandlerTable.builder().on(Rpcs.GET_BROKER_HA_STATUS, handler).build());
    }

    private PeerEnds ends() {
        return new PeerEnds(new Members(peers.client(), Clock.system(), PATIENT_MS));
    }

    private String peer(boolean master, long endOffset, String logId) throws Exception {
        return peer(master, endOffset, new HaStatus.LogName(logId, 3, null));
    }

    private String peer(boolean master, long endOffset, HaStatus.LogName log) throws Exception {
        HaStatus.FollowState follows = new HaStatus.FollowState("", 0, endOffset, 0, 0, 0, false);
        HaStatus status = new HaStatus(master, endOffset, 0, List.of(), follows, "SLAVE", 0L, null, log);
        return peer((request, reply) -> reply.ok(NoHeader.NONE, Payload.of(Json.write(status))));
    }

    @Test
    void namesThoseWhoseCopyOfTheLogIsLonger() throws Exception {
        Map<Long, String> one = Map.of(1L, peer(false, 1_001, "f00d"), 2L, peer(false, 1_000, "f00d"), 3L, OWN);
        Map<Long, String> other =
                Map.of(0L, peer(true, 9_000, "f00d"), 4L, peer(false, 9_000, "beef"), 5L, peer(false, 2_000, "f00d"));
        List<Long> farther = ends().farther(List.of(one, other), OWN, OWN_LOG, 1_000);
        assertThat(farther).containsExactly(1L, 5L);
    }

    /** R11: it was a slave of one that was promoted since, and has what that one acknowledged. */
    @Test
    void namesOneInALaterEpochThoughItsCopyIsShorter() throws Exception {
        Map<Long, String> known = Map.of(
                1L, peer(false, 900, new HaStatus.LogName("f00d", 4, "a")),
                2L, peer(false, 900, new HaStatus.LogName("f00d", 2, "a")),
                3L, peer(false, 900, new HaStatus.LogName("beef", 4, "a")));
        assertThat(ends().farther(List.of(known), OWN, OWN_LOG, 1_000)).containsExactly(1L);
    }

    @Test
    void allAreAskedBeforeOneHasAnswered() throws Exception {
        List<Runnable> answers = new CopyOnWriteArrayList<>();
        RequestHandler<NoHeader, NoHeader> together = (request, reply) -> {
            answers.add(() -> reply.fail(ResponseCode.SYSTEM_ERROR, "no"));
            if (answers.size() == 2) {
                answers.forEach(Runnable::run);
            }
        };
        Map<Long, String> known = Map.of(1L, peer(together), 2L, peer(together));
        assertThat(ends().farther(List.of(known), OWN, OWN_LOG, 0)).isEmpty();
        assertThat(answers).hasSize(2);
    }

    @Test
    void whoDoesNotSayIsNotNamed() throws Exception {
        String refuses = peer((request, reply) -> reply.fail(ResponseCode.SYSTEM_ERROR, "no"));
        assertThat(ends().farther(List.of(Map.of(1L, refuses)), OWN, OWN_LOG, 0))
                .isEmpty();
    }
}
