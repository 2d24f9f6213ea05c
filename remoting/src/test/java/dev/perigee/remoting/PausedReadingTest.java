package dev.perigee.remoting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.perigee.remoting.memory.MemoryTransport;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A handler whose work finds no room leaves the rest in the network, and takes it when there is. */
final class PausedReadingTest {
    private static final int REQUESTS = 20;
    private static final int MANY_STEPS = 100_000;

    private final Queue<Integer> taken = new ConcurrentLinkedQueue<>();
    private final AtomicReference<Connection> paused = new AtomicReference<>();

    private HandlerTable pausing() {
        return HandlerTable.builder()
                .on(Echo.ECHO, (request, reply) -> {
                    if (request.header().number() % 2 == 0) {
                        paused.set(request.from());
                        request.from().pauseReading();
                    }
                    taken.add(request.header().number());
                    reply.ok(request.header());
                })
                .build();
    }

    private void resume() {
        Objects.requireNonNull(paused.get()).resumeReading();
    }

    private static List<Integer> upTo(int last) {
        List<Integer> numbers = new ArrayList<>();
        for (int number = 0; number <= last; number++) {
            numbers.add(number);
        }
        return numbers;
    }

    @Test
    void inMemoryEveryPauseLeavesTheRestAndKeepsTheOrder() throws Exception {
        ManualClock clock = new ManualClock();
        MemoryTransport transport = new MemoryTransport(clock);
        RemotingServer server = new RemotingServer(ServerConfig.of("127.0.0.1", 9_000), pausing(), transport, clock);
        server.start();
        RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, transport, clock);
        CompletableFuture<Connection> connected = client.connect("127.0.0.1:9000");
        transport.runUntilIdle(MANY_STEPS);
        for (int i = 0; i < REQUESTS; i++) {
            connected.get().oneway(Echo.ECHO, EchoHeader.of("x", i), null);
        }
        transport.runUntilIdle(MANY_STEPS);
        assertThat(taken).containsExactlyElementsOf(upTo(0));
        for (int next = 2; next < REQUESTS; next += 2) {
            resume();
            transport.runUntilIdle(MANY_STEPS);
            assertThat(taken).containsExactlyElementsOf(upTo(next));
        }
        resume();
        transport.runUntilIdle(MANY_STEPS);
        assertThat(taken).containsExactlyElementsOf(upTo(REQUESTS - 1));
    }

    @Test
    void overSocketsToo() throws Exception {
        Network network = new Network();
        try {
            RemotingServer server = network.server(pausing());
            RemotingClient client = network.client();
            Connection connection = client.connect(Network.addressOf(server)).get();
            for (int i = 0; i < REQUESTS; i++) {
                connection.oneway(Echo.ECHO, EchoHeader.of("x", i), null);
            }
            for (int next = 0; next < REQUESTS; next += 2) {
                List<Integer> expected = upTo(next);
                await().atMost(ONE_MINUTE).until(() -> taken.size() >= expected.size());
                assertThat(taken).containsExactlyElementsOf(expected);
                Connection held = Objects.requireNonNull(paused.get());
                held.execute(held::resumeReading);
            }
            await().atMost(ONE_MINUTE).until(() -> taken.size() == REQUESTS);
            assertThat(taken).containsExactlyElementsOf(upTo(REQUESTS - 1));
        } finally {
            network.close();
        }
    }
}
