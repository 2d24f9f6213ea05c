package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.replica.FetchedHeader;
import dev.perigee.protocol.header.replica.HeldHeader;
import dev.perigee.protocol.header.replica.HelloAnswer;
import dev.perigee.protocol.header.replica.HelloHeader;
import dev.perigee.protocol.header.route.RegisterBrokerResponse;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.FreePorts;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A master that is stopped in order beside a slave that is slow. The slave is the test: it says what it holds when it wants to, so that no
 * luck lets a master pass that does not wait.
 */
class MasterThatStopsTest {
    private static final long SESSION = 4_711;
    private static final int HEARTBEATS_LATER = 3;

    @TempDir
    private Path folder;

    private final EventLoops loops = EventLoops.start("names", 1);
    private final AtomicInteger unregistered = new AtomicInteger();
    private RemotingServer names;

    /** On the event loop of the slave's connection. */
    private volatile boolean isSlow;

    private volatile long fetchedTo;
    private volatile long toldConfirmed;
    private long heldTo;
    private int heartbeats;

    @BeforeEach
    void start() throws Exception {
        HandlerTable table = HandlerTable.builder()
                .on(Rpcs.REGISTER_BROKER, (request, reply) -> reply.ok(new RegisterBrokerResponse(null, null)))
                .on(Rpcs.UNREGISTER_BROKER, (request, reply) -> {
                    unregistered.incrementAndGet();
                    reply.ok(NoHeader.NONE);
                })
                .build();
        names = new RemotingServer(ServerConfig.of("127.0.0.1", 0), table, loops, Clock.system());
        names.start();
    }

    @AfterEach
    void stop() {
        names.close();
        loops.close();
    }

    private void fetched(Request<FetchedHeader> request) {
        FetchedHeader header = request.header();
        fetchedTo = Math.max(fetchedTo, header.offset() + request.body().remaining());
        toldConfirmed = header.confirmOffset();
        if (isSlow && unregistered.get() > 0 && request.body().remaining() == 0) {
            heartbeats++;
        }
        if (!isSlow || heartbeats >= HEARTBEATS_LATER) {
            heldTo = fetchedTo;
        }
        held(request.from(), header.senderEpoch(), heldTo); // also the same again, so that it is heard
    }

    private static void held(Connection connection, int epoch, long offset) {
        connection.oneway(Rpcs.REPLICA_HELD, new HeldHeader(SESSION, epoch, offset), null);
    }

    private static int inSync(TestBroker master) throws Exception {
        return Json.read(
                        master.call(Rpcs.GET_BROKER_HA_STATUS, NoHeader.NONE, null)
                                .body(),
                        HaStatus.class)
                .inSyncSlaveNums();
    }

    private static void stop(TestBroker master) {
        try {
            master.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static HelloHeader hello(String cluster, String name) {
        return new HelloHeader(cluster, name, 1, "abc", "0", 0, "0", 0, 0, 0, 1, 1, SESSION, 1, 1 << 20, false);
    }

    /** R26, R27: what it confirmed last is known to its slave when it is gone. */
    @Test
    void waitsUntilItsSlaveHoldsItsLogAndKnowsThatItIsConfirmed() throws Exception {
        String haPort = Integer.toString(FreePorts.one());
        TestBroker master = new TestBroker(
                folder,
                Map.of(
                        "brokerRole", "ASYNC_MASTER",
                        "haListenPort", haPort,
                        "haAcceptLoss", "true",
                        "haMaxTimeSlaveNotCatchup", "600000",
                        "namesrvAddr", "127.0.0.1:" + names.boundPort(),
                        "shutdownWaitTimeSeconds", "60"));
        CompletableFuture<Void> stopped;
        try (RemotingClient slave = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system())) {
            slave.onRequest(HandlerTable.builder()
                    .on(Rpcs.REPLICA_FETCHED, (request, reply) -> fetched(request))
                    .build());
            Deadline deadline = Deadline.after(Clock.system(), 60_000);
            HelloHeader hello = hello("DefaultCluster", "broker-a");
            HelloAnswer taken = slave.call("127.0.0.1:" + haPort, Rpcs.REPLICA_HELLO, hello, null, deadline)
                    .get()
                    .require();
            slave.oneway(
                    "127.0.0.1:" + haPort, Rpcs.REPLICA_HELD, new HeldHeader(SESSION, 0, taken.startOffset()), null);
            assertThat(master.send("T", 0, "m").code()).isZero();
            await().atMost(ONE_MINUTE).until(() -> inSync(master) == 1);
            isSlow = true;
            assertThat(master.send("T", 0, "only the master has this").code()).isZero();
            stopped = CompletableFuture.runAsync(() -> stop(master));
            await().atMost(ONE_MINUTE).until(() -> toldConfirmed == fetchedTo && stopped.isDone());
        }
        stopped.get();
        assertThat(heartbeats).as("until it said so").isGreaterThanOrEqualTo(HEARTBEATS_LATER);
        assertThat(fetchedTo).isEqualTo(master.broker.logEndOffset());
        assertThat(toldConfirmed).isEqualTo(fetchedTo);
    }
}
