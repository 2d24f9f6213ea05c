package dev.perigee.broker.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.filter.TagFilter;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.memory.MemoryTransport;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whoever parks is woken exactly once, and whoever may not park is told so, also while the broker stops. */
class PullWaitersTest {
    private static final int ROUNDS = 3_000;
    private static final int PER_ROUND = 20;

    private final MemoryTransport network = new MemoryTransport(Clock.system());
    private volatile PullWaiters current = new PullWaiters(() -> {});
    private Connection connection;

    @BeforeEach
    void connect() throws Exception {
        RemotingServer server = new RemotingServer(
                ServerConfig.of("127.0.0.1", 0),
                HandlerTable.builder()
                        .on(Rpcs.CLEAN_UNUSED_TOPIC, (request, reply) -> reply.ok(NoHeader.NONE))
                        .build(),
                network,
                Clock.system());
        server.start();
        RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, network, Clock.system());
        String address = "127.0.0.1:" + server.boundPort();
        CompletableFuture<?> called = client.call(
                address, Rpcs.CLEAN_UNUSED_TOPIC, NoHeader.NONE, null, Deadline.after(Clock.system(), 60_000));
        network.runUntilIdle(1_000);
        assertThat(called).isDone();
        connection = client.connection(address).orElseThrow();
    }

    private Waiter waiter(int queueId, AtomicInteger woken) {
        return new Waiter(
                new QueuePlace("g", "T", queueId, 0),
                TagFilter.ALL,
                Long.MAX_VALUE - 1,
                connection,
                0,
                reason -> woken.incrementAndGet());
    }

    @Test
    void afterClosingNobodyParks() {
        PullWaiters waiters = new PullWaiters(() -> {});
        waiters.close();
        AtomicInteger woken = new AtomicInteger();
        assertThat(waiters.park(waiter(0, woken))).isEqualTo(PullWaiters.Parking.CLOSED);
        assertThat(waiters.count()).isZero();
        assertThat(woken).hasValue(0);
    }

    @Test
    void closingInTheMiddleOfParkingWakesTheWaiterOnce() {
        PullWaiters waiters = new PullWaiters(() -> current.close());
        current = waiters;
        AtomicInteger woken = new AtomicInteger();
        assertThat(waiters.park(waiter(0, woken))).isEqualTo(PullWaiters.Parking.PARKED);
        assertThat(woken).hasValue(1);
        assertThat(waiters.count()).isZero();
    }

    @Test
    void whoParksWhileAnotherThreadClosesIsWokenOnceOrTurnedAway() throws Exception {
        AtomicInteger begun = new AtomicInteger(); // pulls of the round
        CyclicBarrier barrier = new CyclicBarrier(2);
        Thread closing = new Thread(() -> {
            try {
                for (int round = 0; round < ROUNDS; round++) {
                    barrier.await(60, TimeUnit.SECONDS);
                    while (begun.get() <= round % PER_ROUND) {
                        Thread.onSpinWait(); // closes just while a pull parks
                    }
                    current.close();
                    barrier.await(60, TimeUnit.SECONDS);
                }
            } catch (Exception e) {
                barrier.reset(); // and the test fails where it waits
            }
        });
        closing.start();
        AtomicInteger[] woken = new AtomicInteger[PER_ROUND];
        boolean[] parked = new boolean[PER_ROUND];
        for (int round = 0; round < ROUNDS; round++) {
            PullWaiters waiters = new PullWaiters(() -> {});
            current = waiters;
            begun.set(0);
            barrier.await(60, TimeUnit.SECONDS);
            for (int i = 0; i < PER_ROUND; i++) {
                woken[i] = new AtomicInteger();
                begun.incrementAndGet();
                parked[i] = waiters.park(waiter(i, woken[i])) == PullWaiters.Parking.PARKED;
            }
            barrier.await(60, TimeUnit.SECONDS);
            for (int i = 0; i < PER_ROUND; i++) {
                assertThat(woken[i])
                        .as("round %d, pull %d, parked %s", round, i, parked[i])
                        .hasValue(parked[i] ? 1 : 0);
            }
            assertThat(waiters.count()).as("round %d", round).isZero();
        }
        closing.join(60_000);
        assertThat(closing.isAlive()).isFalse();
    }
}
