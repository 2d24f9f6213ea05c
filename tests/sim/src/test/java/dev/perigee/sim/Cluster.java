package dev.perigee.sim;

import dev.perigee.broker.Broker;
import dev.perigee.broker.BrokerSeams;
import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.client.instance.ClientBuilder;
import dev.perigee.client.instance.ClientSettings;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.loop.Loop;
import dev.perigee.namesrv.NameServer;
import dev.perigee.namesrv.NameServerConfig;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Queue;
import java.util.Random;
import java.util.SplittableRandom;

/** One name server, one broker and the loops of clients; nothing moves but by {@link #settle} and {@link #pass}. */
final class Cluster {
    private static final int BROKER_PORT = 10_911;
    private static final int MAX_STEPS = 200_000;

    private final TurnedClock clock = new TurnedClock();
    private final MemoryTransport network = new MemoryTransport(clock);
    private final CrashingDisk disk;
    private final MemoryViewStores viewStores = new MemoryViewStores();
    private final SplittableRandom random;
    private final NameServer nameServer;
    private final List<ClientLoop> clients = new ArrayList<>();
    private final Queue<Runnable> listenerCalls = new ArrayDeque<>();
    private Broker broker;
    private long boots;

    Cluster(long seed, Path folder) throws Exception {
        this.disk = new CrashingDisk(new Random(seed));
        this.random = new SplittableRandom(seed);
        NameServerConfig defaults = NameServerConfig.defaults();
        NameServerConfig config =
                defaults.listenOn("127.0.0.1", defaults.listenPort()).keepKvIn(folder.resolve("kv.json"));
        this.nameServer = new NameServer(config, network, Runnable::run, clock);
        nameServer.start();
        this.broker = startBroker();
    }

    private Broker startBroker() throws Exception {
        Properties properties = new Properties();
        properties.setProperty("brokerIP1", "127.0.0.1");
        properties.setProperty("namesrvAddr", "127.0.0.1:" + nameServer.port());
        properties.setProperty("listenPort", Integer.toString(BROKER_PORT));
        properties.setProperty("mappedFileSizeCommitLog", Integer.toString(1 << 20));
        boots++;
        Broker started = new Broker(
                BrokerConfig.read(properties), clock, new BrokerSeams(network, disk, viewStores, random, boots, false));
        started.start();
        return started;
    }

    TurnedClock clock() {
        return clock;
    }

    /** Where a push consumer of this cluster runs its listener. */
    void listenerCall(Runnable call) {
        listenerCalls.add(call);
    }

    /** Gives a builder this cluster's network, clock and name server. */
    <B extends ClientBuilder<B>> B in(B builder) {
        return builder.nameServers("127.0.0.1:" + nameServer.port())
                .transport(network)
                .clock(clock)
                .clientIp("127.0.0.1")
                .loopMode(ClientSettings.LoopMode.STEPPED);
    }

    void add(ClientLoop loop) {
        clients.add(loop);
    }

    /** Breaks one open connection, chosen by the number; what is on its way in it is lost. False when there is none. */
    boolean breakConnection(int number) {
        int open = network.openConnections();
        if (open > 0) {
            network.breakConnection(number % open);
        }
        return open > 0;
    }

    /** Cuts the power of the broker's machine and starts it again. */
    void crashBroker() throws Exception {
        network.unplug(BROKER_PORT);
        network.unplug(BROKER_PORT - 2);
        while (network.openConnections() > 0) {
            network.breakConnection(0);
        }
        disk.crash();
        viewStores.crash(random);
        broker = startBroker();
    }

    /** Stops the broker in order and starts it again. */
    void restartBroker() throws Exception {
        broker.close();
        broker = startBroker();
    }

    /** Does all there is to do at this instant. */
    void settle() {
        for (int i = 0; i < MAX_STEPS; i++) {
            int done = network.step() ? 1 : 0;
            for (Loop loop : broker.loops()) {
                done += loop.doWork(clock.monotonicMs());
            }
            for (ClientLoop loop : clients) {
                done += loop.doWork(clock.monotonicMs());
            }
            Runnable call = listenerCalls.poll();
            if (call != null) {
                call.run();
                done++;
            }
            if (done == 0) {
                return;
            }
        }
        throw new IllegalStateException("the cluster does not come to rest");
    }

    /** Lets time pass, in small steps. */
    void pass(long ms, long stepMs) {
        settle();
        for (long passed = 0; passed < ms; passed += stepMs) {
            clock.turnMs(stepMs);
            settle();
        }
    }
}
