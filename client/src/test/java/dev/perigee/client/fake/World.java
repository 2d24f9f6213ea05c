package dev.perigee.client.fake;

import dev.perigee.client.instance.ClientBuilder;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.instance.ClientSettings;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.client.ProducerData;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.remoting.transport.TlsConfig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** A network, a clock and the loops of clients, all stepped by the test's one thread. */
public final class World {
    private static final int MAX_STEPS = 1_000_000;

    private final ManualClock clock = new ManualClock();
    private final MemoryTransport transport = new MemoryTransport(clock);
    private final List<ClientLoop> loops = new ArrayList<>();
    private final FakeNameServer nameServer;

    public World() throws RemotingException {
        this.nameServer = new FakeNameServer(transport, clock);
    }

    public ManualClock clock() {
        return clock;
    }

    public MemoryTransport transport() {
        return transport;
    }

    public FakeNameServer nameServer() {
        return nameServer;
    }

    public FakeBroker broker(String name) throws RemotingException {
        return new FakeBroker(name, transport, clock);
    }

    /** Gives a builder this world's network, clock and name server. */
    public <B extends ClientBuilder<B>> B in(B builder) {
        return builder.nameServers(nameServer.address())
                .transport(transport)
                .clock(clock)
                .clientIp("127.0.0.1")
                .loopMode(ClientSettings.LoopMode.STEPPED);
    }

    public void add(ClientLoop loop) {
        loops.add(loop);
    }

    public void remove(ClientLoop loop) {
        loops.remove(loop);
    }

    /** Does all there is to do at this instant. */
    public void settle() {
        for (int i = 0; i < MAX_STEPS; i++) {
            int done = transport.runUntilIdle(MAX_STEPS);
            for (ClientLoop loop : List.copyOf(loops)) {
                done += loop.doWork(clock.monotonicMs());
            }
            if (done == 0) {
                return;
            }
        }
        throw new IllegalStateException("the world does not come to rest");
    }

    /** Lets time pass, in small steps. */
    public void run(long ms, long stepMs) {
        settle();
        for (long passed = 0; passed < ms; passed += stepMs) {
            clock.advanceMs(stepMs);
            settle();
        }
    }

    /**
     * Lets at most that much time pass until the future is done, and gives its value or throws its failure. A future that is
     * not done then never will be: nobody else moves this world, so waiting for it would hang.
     */
    public <T> T await(CompletableFuture<T> future, long limitMs) {
        settle();
        for (long passed = 0; passed < limitMs && !future.isDone(); passed += 10) {
            clock.advanceMs(10);
            settle();
        }
        if (!future.isDone()) {
            throw new AssertionError("not done after " + limitMs + " ms of this world: " + future);
        }
        return future.join();
    }

    /** A started client without a user's part, whose heartbeats name these groups of producers. */
    public ClientInstance instance(String name, String... producerGroups) {
        ClientSettings settings = new ClientSettings(
                List.of(nameServer.address()),
                "127.0.0.1",
                name,
                null,
                ClientSettings.DEFAULT_CALL_TIMEOUT_MS,
                ClientSettings.DEFAULT_ROUTE_REFRESH_MS,
                ClientSettings.DEFAULT_HEARTBEAT_MS,
                1,
                TlsConfig.OFF,
                clock,
                transport,
                ClientSettings.LoopMode.STEPPED);
        Set<ProducerData> producers =
                Arrays.stream(producerGroups).map(ProducerData::new).collect(Collectors.toSet());
        HeartbeatData heartbeat = new HeartbeatData(settings.clientId(), producers, Set.of(), 0, false);
        ClientInstance instance =
                new ClientInstance(settings, HandlerTable.builder().build(), () -> heartbeat);
        add(instance.loop());
        instance.start();
        return instance;
    }
}
