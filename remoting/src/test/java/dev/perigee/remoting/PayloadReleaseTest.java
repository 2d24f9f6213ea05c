package dev.perigee.remoting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.netty.EventLoops;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A body is given back exactly once, whatever becomes of its frame. */
final class PayloadReleaseTest {
    private final BlockingQueue<Reply<EchoHeader>> held = new LinkedBlockingQueue<>();
    private Network network;
    private RemotingServer server;

    @BeforeEach
    void open() throws Exception {
        network = new Network();
        server = network.server(HandlerTable.builder()
                .on(Echo.ECHO, (request, reply) -> held.add(reply))
                .build());
    }

    @AfterEach
    void close() throws Exception {
        network.close();
    }

    /** Small and copied; large and gathered; large but in pieces so small that they are copied. */
    static Stream<Body> bodies() {
        return Stream.of(new Body(1, 100), new Body(3, 500_000), new Body(200, 1_000));
    }

    record Body(int pieceCount, int pieceBytes) {
        byte[][] pieces() {
            Random random = new Random(pieceCount);
            byte[][] pieces = new byte[pieceCount][pieceBytes];
            for (byte[] piece : pieces) {
                random.nextBytes(piece);
            }
            return pieces;
        }
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void aBodyThatWasSentArrivesWholeAndIsReleasedOnce(Body source) throws Exception {
        CountingPayload body = new CountingPayload(source.pieces());
        var answer = network.client()
                .call(Network.addressOf(server), Echo.ECHO, EchoHeader.of("x", 1), null, network.soon());

        nextReply().ok(EchoHeader.of("y", 2), body);

        Answer<EchoHeader> received = answer.get(60, TimeUnit.SECONDS);
        assertThat(received.body()).isEqualTo(joined(source.pieces()));
        await().atMost(ONE_MINUTE).until(() -> body.releases() > 0);
        assertThat(body.releases()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void aBodyForALostConnectionIsReleasedOnce(Body source) throws Exception {
        CountingPayload body = new CountingPayload(source.pieces());
        try (RawPeer peer = new RawPeer(server.boundPort())) {
            peer.send(RawPeer.echoFrame(1));
            await().atMost(ONE_MINUTE).until(() -> !held.isEmpty());
        }
        await().atMost(ONE_MINUTE).until(() -> server.counters().openConnections() == 0);

        nextReply().ok(EchoHeader.of("y", 2), body);

        await().atMost(ONE_MINUTE).until(() -> body.releases() > 0);
        assertThat(body.releases()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void bodiesThatThePeerNeverReadsAreReleasedOnceWhenItLeaves(Body source) throws Exception {
        int many = 100;
        CountingPayload[] bodies = new CountingPayload[many];
        try (RawPeer peer = new RawPeer(server.boundPort())) {
            for (int i = 0; i < many; i++) {
                peer.send(RawPeer.echoFrame(i));
            }
            List<Reply<EchoHeader>> replies = new ArrayList<>();
            for (int i = 0; i < many; i++) {
                replies.add(nextReply()); // all of them first: a connection that is not read is not read from, either
            }
            for (int i = 0; i < many; i++) {
                bodies[i] = new CountingPayload(source.pieces());
                replies.get(i).ok(EchoHeader.of("y", i), bodies[i]);
            }
        }
        await().atMost(ONE_MINUTE).until(() -> server.counters().openConnections() == 0);
        await().atMost(ONE_MINUTE).until(() -> Stream.of(bodies).allMatch(body -> body.releases() > 0));
        assertThat(bodies).allSatisfy(body -> assertThat(body.releases()).isEqualTo(1));
    }

    @Test
    void aBodyOfASecondReplyIsReleasedOnce() throws Exception {
        CountingPayload first = new CountingPayload(new byte[10]);
        CountingPayload second = new CountingPayload(new byte[10]);
        var answer = network.client()
                .call(Network.addressOf(server), Echo.ECHO, EchoHeader.of("x", 1), null, network.soon());
        Reply<EchoHeader> reply = nextReply();

        reply.ok(EchoHeader.of("y", 1), first);
        reply.ok(EchoHeader.of("z", 2), second);

        assertThat(answer.get(60, TimeUnit.SECONDS).require().text()).isEqualTo("y");
        await().atMost(ONE_MINUTE).until(() -> first.releases() + second.releases() == 2);
        assertThat(second.releases()).isEqualTo(1);
    }

    @Test
    void aBodyForAOnewayRequestIsReleasedOnce() throws Exception {
        CountingPayload body = new CountingPayload(new byte[10]);
        network.client().oneway(Network.addressOf(server), Echo.ECHO, EchoHeader.of("x", 1), null);

        nextReply().ok(EchoHeader.of("y", 1), body);

        assertThat(body.releases()).isEqualTo(1);
    }

    @Test
    void aBodyHandedOverAfterTheLoopsHaveStoppedIsReleasedOnce() throws Exception {
        EventLoops loops = EventLoops.start("stopping", 1);
        RemotingServer stopping = new RemotingServer(
                ServerConfig.of("127.0.0.1", 0),
                HandlerTable.builder()
                        .on(Echo.ECHO, (request, reply) -> held.add(reply))
                        .build(),
                loops,
                dev.perigee.loop.Clock.system());
        stopping.start();
        try (RawPeer peer = new RawPeer(stopping.boundPort())) {
            peer.send(RawPeer.echoFrame(1));
            Reply<EchoHeader> reply = nextReply();
            stopping.close();
            loops.close();
            CountingPayload body = new CountingPayload(new byte[10]);

            reply.ok(EchoHeader.of("y", 1), body);

            assertThat(body.releases()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void aLentBodyOfAOnewayRequestArrivesWholeAndIsReleasedOnce(Body source) throws Exception {
        CountingPayload body = new CountingPayload(source.pieces());
        BlockingQueue<byte[]> arrived = new LinkedBlockingQueue<>();
        server = network.server(HandlerTable.builder()
                .on(Echo.ECHO, (request, reply) -> {
                    byte[] bytes = new byte[request.body().remaining()];
                    request.body().get(bytes);
                    arrived.add(bytes);
                })
                .build());
        Connection connection =
                network.client().connect(Network.addressOf(server)).get(60, TimeUnit.SECONDS);

        connection.onewayLent(Echo.ECHO, EchoHeader.of("x", 1), body);

        assertThat(arrived.poll(60, TimeUnit.SECONDS)).isEqualTo(joined(source.pieces()));
        await().atMost(ONE_MINUTE).until(() -> body.releases() > 0);
        assertThat(body.releases()).isEqualTo(1);
    }

    @Test
    void aLentBodyOfAOnewayRequestThatCannotBeSentIsReleasedOnce() throws Exception {
        CountingPayload tooLarge = new CountingPayload(new byte[17 << 20]);
        CountingPayload empty = new CountingPayload(new byte[0]);
        CountingPayload late = new CountingPayload(new byte[10]);
        Connection connection =
                network.client().connect(Network.addressOf(server)).get(60, TimeUnit.SECONDS);

        connection.onewayLent(Echo.ECHO, EchoHeader.of("x", 1), tooLarge);
        connection.onewayLent(Echo.ECHO, EchoHeader.of("x", 2), empty);
        assertThat(nextReply()).isNotNull();
        connection.close("to see what becomes of what is sent later");
        connection.onewayLent(Echo.ECHO, EchoHeader.of("x", 3), late);

        await().atMost(ONE_MINUTE).until(() -> late.releases() > 0);
        assertThat(List.of(tooLarge, empty, late))
                .allSatisfy(body -> assertThat(body.releases()).isEqualTo(1));
    }

    private Reply<EchoHeader> nextReply() throws InterruptedException {
        Reply<EchoHeader> reply = held.poll(60, TimeUnit.SECONDS);
        assertThat(reply).isNotNull();
        return reply;
    }

    private static byte[] joined(byte[][] pieces) {
        java.nio.ByteBuffer all = java.nio.ByteBuffer.allocate(pieces.length * pieces[0].length);
        for (byte[] piece : pieces) {
            all.put(piece);
        }
        return all.array();
    }
}
