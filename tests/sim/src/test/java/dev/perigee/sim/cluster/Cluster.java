package dev.perigee.sim.cluster;

import dev.perigee.client.instance.ClientBuilder;
import dev.perigee.client.instance.ClientSettings;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.loop.Loop;
import dev.perigee.namesrv.NameServer;
import dev.perigee.namesrv.NameServerConfig;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.remoting.transport.Transport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * One name server, one broker, the loops of clients and the calls of their listeners; nothing moves but by {@link #settle}
 * and {@link #pass}. Who of them is next is drawn by the seed.
 */
public final class Cluster {
    private static final int MAX_STEPS = 400_000;

    private final TurnedClock clock = new TurnedClock();
    private final MemoryTransport network = new MemoryTransport(clock);
    private final Traffic traffic = new Traffic(clock);
    private final SplittableRandom random;
    private final NameServer nameServer;
    private final BrokerMachine machine;
    private final List<ClientLoop> clients = new ArrayList<>();
    private final ListenerCalls calls;
    private Consumer<Error> threadEnded = error -> {};

    /** A cluster whose broker runs. */
    public Cluster(long seed, Path folder) throws Exception {
        this.random = new SplittableRandom(seed);
        this.calls = new ListenerCalls(clock, random.split(), error -> threadEnded.accept(error));
        NameServerConfig defaults = NameServerConfig.defaults();
        NameServerConfig config =
                defaults.listenOn("127.0.0.1", defaults.listenPort()).keepKvIn(folder.resolve("kv.json"));
        this.nameServer = new NameServer(config, network, Runnable::run, clock);
        nameServer.start();
        this.machine = new BrokerMachine(seed, nameServers(), network, clock);
        machine.start();
    }

    private String nameServers() {
        return "127.0.0.1:" + nameServer.port();
    }

    /** The time of all that is in the cluster. */
    public TurnedClock clock() {
        return clock;
    }

    /** Where the broker runs. */
    public BrokerMachine machine() {
        return machine;
    }

    /** Where listeners run. */
    public ListenerCalls calls() {
        return calls;
    }

    /** Sets who is told when a listener ends its thread. */
    public void onThreadEnd(Consumer<Error> listener) {
        threadEnded = listener;
    }

    /** The network as one more client has it. */
    public Cable cable() {
        return new Cable(network, clock, random.split(), traffic);
    }

    /** The network as it is without faults. */
    public MemoryTransport network() {
        return network;
    }

    /** All frames over cables so far, in a form to compare. */
    public String traffic() {
        return traffic.toString();
    }

    /** Gives a builder this cluster's network, clock and name server. */
    public <B extends ClientBuilder<B>> B in(B builder) {
        return in(builder, network);
    }

    /** As {@link #in(ClientBuilder)}, with the network as one client has it. */
    public <B extends ClientBuilder<B>> B in(B builder, Transport cable) {
        return builder.nameServers(nameServers())
                .transport(cable)
                .clock(clock)
                .clientIp("127.0.0.1")
                .loopMode(ClientSettings.LoopMode.STEPPED);
    }

    /** Steps a client's loop from now on. */
    public void add(ClientLoop loop) {
        clients.add(loop);
    }

    /** Steps a client's loop no more. */
    public void remove(ClientLoop loop) {
        clients.remove(loop);
    }

    /** Breaks one open connection, chosen by the number; what is on its way in it is lost. False when there is none. */
    public boolean breakConnection(int number) {
        int open = network.openConnections();
        if (open > 0) {
            network.breakConnection(number % open);
        }
        return open > 0;
    }

    /** Cuts the power of the broker's machine and starts it again. */
    public void crashBroker() throws Exception {
        machine.end(BrokerMachine.End.POWER_LOST);
        machine.start();
    }

    /** Stops the broker in order and starts it again. */
    public void restartBroker() throws Exception {
        machine.stop();
        machine.start();
    }

    /** Does all there is to do at this instant. */
    public void settle() {
        for (int i = 0; i < MAX_STEPS; i++) {
            if (machine.hasFailed()) {
                machine.end(BrokerMachine.End.KILLED); // a process whose log has failed ends
            }
            if (round() == 0) {
                return;
            }
        }
        throw new IllegalStateException("the cluster does not come to rest");
    }

    /** Lets everybody do a little, beginning with whoever the draw says. */
    private int round() {
        List<IntSupplier> parties = new ArrayList<>();
        parties.add(() -> network.step() ? 1 : 0);
        parties.add(() -> calls.runOne() ? 1 : 0);
        machine.loops().forEach(loop -> parties.add(() -> loop.doWork(clock.monotonicMs())));
        clients.forEach(loop -> parties.add(() -> loop.doWork(clock.monotonicMs())));
        int first = random.nextInt(parties.size());
        int done = 0;
        for (int i = 0; i < parties.size(); i++) {
            done += parties.get((first + i) % parties.size()).getAsInt();
        }
        return done;
    }

    /** Lets time pass, from one thing that is due to the next. */
    public void pass(long ms) {
        long endMs = clock.monotonicMs() + ms;
        settle();
        while (clock.monotonicMs() < endMs) {
            long nowMs = clock.monotonicMs();
            long nextMs = Math.min(endMs, Math.max(nowMs + 1, nextDeadlineMs()));
            clock.turnMs(nextMs - nowMs);
            settle();
        }
    }

    /** Lets time pass until something holds; whether it came to hold in time. */
    public boolean passUntil(BooleanSupplier condition, long limitMs, long stepMs) {
        for (long passed = 0; passed < limitMs && !condition.getAsBoolean(); passed += stepMs) {
            pass(stepMs);
        }
        return condition.getAsBoolean();
    }

    private long nextDeadlineMs() {
        long nextMs = Math.min(network.nextDeadlineMs(), calls.nextDeadlineMs());
        for (Loop loop : machine.loops()) {
            nextMs = Math.min(nextMs, loop.nextDeadlineMs());
        }
        for (ClientLoop loop : clients) {
            nextMs = Math.min(nextMs, loop.nextDeadlineMs());
        }
        return nextMs;
    }
}
