package dev.perigee.remoting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.perigee.protocol.frame.HeaderSerialization;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.RemotingException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A peer that does not read its answers is not read from; nobody's memory grows without end. */
final class BackPressureTest {
    private static final int BODY_BYTES = 32 << 10;
    private static final int REQUESTS = 2_000;
    /** What the kernel may hold on both sides of a loopback connection, generously. */
    private static final long KERNEL_BYTES = 16L << 20;

    private Network network;

    @BeforeEach
    void open() {
        network = new Network();
    }

    @AfterEach
    void close() throws Exception {
        network.close();
    }

    @Test
    void aPeerThatDoesNotReadItsAnswersIsNotReadFromUntilItDoes() throws Exception {
        ConnectionLimits limits = ConnectionLimits.DEFAULT.withWaterMarks(64 << 10, 256 << 10);
        RemotingServer server = network.server(
                ServerConfig.of("127.0.0.1", 0).withLimits(limits), Echo.table().build());
        AtomicReference<IOException> failure = new AtomicReference<>();
        try (RawPeer peer = new RawPeer(server.boundPort())) {
            Thread writer = new Thread(() -> writeAll(peer, failure));
            writer.start();

            await().during(Duration.ofMillis(500)).atMost(ONE_MINUTE).until(standsStill(server));
            assertThat(server.counters().requests()).isPositive().isLessThan(REQUESTS);
            assertThat(server.counters().bytesOut()).isLessThan(KERNEL_BYTES + (1 << 20));

            for (int i = 0; i < REQUESTS; i++) {
                assertThat(peer.readFrame().head().opaque()).isEqualTo(i);
            }
            writer.join();
            assertThat(failure.get()).isNull();
            assertThat(server.counters().requests()).isEqualTo(REQUESTS);
        }
    }

    @Test
    void aPausedPeerDoesNotHoldUpOthers() throws Exception {
        RemotingServer server = network.server(Echo.table().build());
        AtomicReference<IOException> failure = new AtomicReference<>();
        RawPeer peer = new RawPeer(server.boundPort());
        Thread writer = new Thread(() -> writeAll(peer, failure));
        try (peer) {
            writer.start();
            await().atMost(ONE_MINUTE).until(() -> server.counters().requests() > 100);

            Answer<EchoHeader> answer = network.client()
                    .callBlocking(Network.addressOf(server), Echo.ECHO, EchoHeader.of("x", 1), null, network.soon());

            assertThat(answer.isOk()).isTrue();
        }
        writer.join();
    }

    @Test
    void callsToAPeerThatDoesNotReadAreRefusedByNameAboveTheOutboundLimit() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        RemotingServer server = network.server(HandlerTable.builder()
                .on(Echo.ECHO, (request, reply) -> awaitUninterruptibly(stuck))
                .build());
        RemotingClient client = network.client(
                ClientConfig.DEFAULT.withLimits(ConnectionLimits.DEFAULT.withOutboundLimitBytes(1 << 20)));
        try {
            List<CompletableFuture<Answer<EchoHeader>>> answers = new ArrayList<>();
            await().atMost(ONE_MINUTE).until(() -> {
                answers.add(client.call(
                        Network.addressOf(server),
                        Echo.ECHO,
                        EchoHeader.of("x", 1),
                        new byte[1 << 20],
                        network.soon()));
                return answers.stream().anyMatch(CompletableFuture::isCompletedExceptionally);
            });
            CompletableFuture<Answer<EchoHeader>> refused = answers.stream()
                    .filter(CompletableFuture::isCompletedExceptionally)
                    .findFirst()
                    .orElseThrow();
            assertThat(refused)
                    .failsWithin(ONE_MINUTE)
                    .withThrowableThat()
                    .withCauseInstanceOf(RemotingException.TooManyCalls.class)
                    .withMessageContaining("outboundLimitBytes");
        } finally {
            stuck.countDown();
        }
    }

    private static java.util.concurrent.Callable<Boolean> standsStill(RemotingServer server) {
        long[] before = {-1};
        return () -> {
            long now = server.counters().requests();
            boolean still = now > 0 && now == before[0];
            before[0] = now;
            return still;
        };
    }

    private static void writeAll(RawPeer peer, AtomicReference<IOException> failure) {
        try {
            for (int i = 0; i < REQUESTS; i++) {
                peer.send(RawPeer.echoFrame(i, 513, HeaderSerialization.BINARY, new byte[BODY_BYTES]));
            }
        } catch (IOException e) {
            failure.set(e);
        }
    }

    /** Stands for an event loop that is busy; nothing else may block one. */
    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            if (!latch.await(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody let the handler go on");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
