package dev.perigee.sim.cluster;

import dev.perigee.client.instance.ClientBuilder;
import dev.perigee.client.instance.ClientSettings;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.loop.Loop;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.remoting.transport.Transport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Name servers, brokers, the loops of clients and the calls of their listeners; nothing moves but by {@link #settle} and {@link
 * #pass}. Who of them is next is drawn by the seed.
 */
public final class Cluster {
    private static final int MAX_STEPS = 400_000;
    private static final int LONGEST_BURST = 5;
    private static final int NAME_SERVER_PORT = 9_876;

    private final TurnedClock clock = new TurnedClock();
    private final MemoryTransport transport = new MemoryTransport(clock);
    private final Traffic traffic = new Traffic(clock);
    private final Roads roads = new Roads();
    private final Timetable timetable = new Timetable(clock);
    private final SplittableRandom random;
    private final SplittableRandom machinesRandom;
    private final List<Cable> cables = new ArrayList<>();
    private final List<NameServerMachine> nameServers = new ArrayList<>();
    private final List<BrokerMachine> brokers = new ArrayList<>();
    private final List<ClientLoop> clients = new ArrayList<>();
    private final List<Runnable> watchers = new ArrayList<>();
    private final List<IntSupplier> parties = new ArrayList<>();
    private final List<Loop> loops = new ArrayList<>();
    /** Of a group: whoever served as the master when that was last asked. */
    private @Nullable BrokerMachine served;

    private long changes;
    private long gatheredAt = -1;
    private final ListenerCalls calls;
    private final String nameServerList;
    private Consumer<Error> threadEnded = error -> {};

    /** A cluster of one name server and one broker, which run. */
    public Cluster(long seed, Path folder) throws Exception {
        this(seed, folder, Layout.SMALLEST);
    }

    /** A cluster whose machines run. */
    public Cluster(long seed, Path folder, Layout layout) throws Exception {
        this.random = new SplittableRandom(seed);
        this.machinesRandom = new SplittableRandom(~seed);
        this.calls = new ListenerCalls(clock, random.split(), error -> threadEnded.accept(error));
        Network network = new Network(transport, roads, this::machineCable);
        int port = NAME_SERVER_PORT;
        List<String> addresses = new ArrayList<>();
        for (String name : layout.nameServerNames()) {
            Path home = Files.createDirectories(folder.resolve(name));
            nameServers.add(new NameServerMachine(name, port, network, new MachineClock(clock), home));
            addresses.add("127.0.0.1:" + port++);
        }
        this.nameServerList = String.join(";", addresses);
        List<String> members = new ArrayList<>();
        for (Layout.Seat seat : layout.brokers()) {
            members.add(BrokerPlace.member(seat, BrokerMachine.PORT + members.size() * BrokerMachine.PORT_STEP));
        }
        int number = 0;
        for (Layout.Seat seat : layout.brokers()) {
            int at = BrokerMachine.PORT + number * BrokerMachine.PORT_STEP;
            MachineClock own = new MachineClock(clock);
            int master = layout.tellsMasters()
                    ? BrokerMachine.PORT + layout.masterOf(seat) * BrokerMachine.PORT_STEP
                    : BrokerPlace.NOT_TOLD;
            BrokerPlace place = new BrokerPlace(seat, at, master, nameServerList, String.join(";", members));
            brokers.add(new BrokerMachine(seed + number++, place, network, own));
        }
        served = layout.isGroup() ? brokers.get(0) : null;
        for (Machine machine : machines()) {
            machine.start();
        }
    }

    /** The master of a broker, itself when it is none's slave. */
    public BrokerMachine masterOf(BrokerMachine broker) {
        return masters().stream()
                .filter(master -> master.brokerName().equals(broker.brokerName()))
                .findFirst()
                .orElseThrow();
    }

    /** Makes a broker anew from a copy of the log of one of these; it replicates with nobody, and its clock is the master's. */
    public LoneBroker anew(BrokerMachine broker) throws Exception {
        MemoryTransport lonely = new MemoryTransport(clock);
        Roads ways = new Roads();
        SplittableRandom chance = new SplittableRandom(broker.changes());
        Network network = new Network(
                lonely,
                ways,
                process -> new Cable(process, lonely, clock, ways, new Cable.Course(chance, new Traffic(clock))));
        BrokerMachine copy = broker.copyOfLog(network, masterOf(broker));
        copy.start();
        return new LoneBroker(clock, lonely, copy);
    }

    private Cable machineCable(String process) {
        return cable(process, machinesRandom);
    }

    private Cable cable(String process, SplittableRandom chance) {
        Cable cable = new Cable(process, transport, clock, roads, new Cable.Course(chance.split(), traffic));
        cables.removeIf(Cable::isGone);
        cables.add(cable);
        return cable;
    }

    /** The time of all that is in the cluster. */
    public TurnedClock clock() {
        return clock;
    }

    /** Where the first broker runs. */
    public BrokerMachine machine() {
        return brokers.get(0);
    }

    /** Where the master of the first broker runs, who may be another one after a while. */
    public BrokerMachine master() {
        return masterOf(machine());
    }

    /** Where brokers run. */
    public List<BrokerMachine> brokers() {
        return Collections.unmodifiableList(brokers);
    }

    /** Whether the brokers are a group that elects its master. */
    public boolean isGroup() {
        return served != null;
    }

    /** Where brokers run that clients may send to; of a group the one that serves as the master, or did last. */
    public List<BrokerMachine> masters() {
        BrokerMachine last = served;
        if (last != null) {
            last = brokers.stream().filter(BrokerMachine::serves).findFirst().orElse(last);
            served = last;
            return List.of(last);
        }
        return brokers.stream().filter(BrokerMachine::isMaster).toList();
    }

    /** Where slaves run. */
    public List<BrokerMachine> slaves() {
        List<BrokerMachine> masters = masters();
        return brokers.stream().filter(machine -> !masters.contains(machine)).toList();
    }

    /** All machines, those of name servers first. */
    public List<Machine> machines() {
        List<Machine> machines = new ArrayList<>(nameServers);
        machines.addAll(brokers);
        return machines;
    }

    /** How well processes reach each other. */
    public Roads roads() {
        return roads;
    }

    /** What is going to happen. */
    public Timetable timetable() {
        return timetable;
    }

    /** Has something looked at after each event. */
    public void watch(Runnable look) {
        watchers.add(look);
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
        return cable("client");
    }

    /** The network as one more client has it; faults name it. */
    public Cable cable(String client) {
        return cable(client, random);
    }

    /** Cuts the connections between two processes. */
    public void cut(String one, String other) {
        for (Cable cable : List.copyOf(cables)) {
            if (cable.process().equals(one)) {
                cable.cut(other);
            } else if (cable.process().equals(other)) {
                cable.cut(one);
            }
        }
    }

    /** The network as it is without faults. */
    public MemoryTransport network() {
        return transport;
    }

    /** All frames over cables so far, in a form to compare. */
    public String traffic() {
        return traffic.toString();
    }

    /** Gives a builder this cluster's network, clock and name servers. */
    public <B extends ClientBuilder<B>> B in(B builder) {
        return in(builder, transport);
    }

    /** As {@link #in(ClientBuilder)}, with the network as one client has it. */
    public <B extends ClientBuilder<B>> B in(B builder, Transport cable) {
        return builder.nameServers(nameServerList)
                .transport(cable)
                .clock(clock)
                .clientIp("127.0.0.1")
                .loopMode(ClientSettings.LoopMode.STEPPED);
    }

    /** Steps a client's loop from now on. */
    public void add(ClientLoop loop) {
        clients.add(loop);
        changes++;
    }

    /** Steps a client's loop no more. */
    public void remove(ClientLoop loop) {
        clients.remove(loop);
        changes++;
    }

    /** Does all there is to do at this instant. */
    public void settle() {
        timetable.begin();
        for (int i = 0; i < MAX_STEPS; i++) {
            brokers.forEach(BrokerMachine::endWhenOver);
            if (!round() && !timetable.run(true)) {
                return;
            }
            for (Runnable watcher : watchers) {
                watcher.run();
            }
        }
        throw new IllegalStateException("the cluster does not come to rest");
    }

    /** Lets everybody do a little, beginning with whoever the draw says; whether there was anything to do. */
    private boolean round() {
        gather();
        int count = parties.size();
        int first = random.nextInt(count);
        int done = 0;
        for (int i = 0; i < count; i++) {
            int at = first + i;
            int steps = parties.get(at < count ? at : at - count).getAsInt();
            if (steps > 0) {
                done += steps;
                if (timetable.run(false)) {
                    return true; // those who were to come next may be gone
                }
            }
        }
        return done > 0;
    }

    /** Who has a part in a round; looked up anew only when somebody came or went. */
    private void gather() {
        long now = changes;
        for (BrokerMachine broker : brokers) {
            now += broker.changes();
        }
        if (now == gatheredAt) {
            return;
        }
        gatheredAt = now;
        parties.clear();
        loops.clear();
        parties.add(this::burst);
        parties.add(() -> calls.runOne() ? 1 : 0);
        for (BrokerMachine broker : brokers) {
            long life = broker.changes();
            for (Loop loop : broker.loops()) {
                loops.add(loop);
                parties.add(() -> step(broker, life, loop));
            }
        }
        for (ClientLoop client : clients) {
            loops.add(client);
            parties.add(() -> client.doWork(clock.monotonicMs()));
        }
    }

    /** A few steps of the network, as many as the draw says: to let everybody look after each of them takes twice as long. */
    private int burst() {
        int most = 1 + random.nextInt(LONGEST_BURST);
        int steps = 0;
        while (steps < most && transport.step()) {
            steps++;
        }
        return steps;
    }

    private int step(BrokerMachine broker, long life, Loop loop) {
        if (broker.changes() != life) {
            return 0; // its process ended a moment ago
        }
        int work = 0;
        try {
            work = loop.doWork(clock.monotonicMs());
        } catch (RuntimeException e) {
            if (!broker.isDying()) { // a dead process may stumble over its disk
                throw new BrokerStopsException(broker.name(), loop.name(), e);
            }
        }
        broker.endWhenOver();
        return broker.changes() == life ? work : work + 1;
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
        long nextMs = Math.min(transport.nextDeadlineMs(), calls.nextDeadlineMs());
        nextMs = Math.min(nextMs, timetable.nextDeadlineMs());
        gather();
        for (Loop loop : loops) {
            nextMs = Math.min(nextMs, loop.nextDeadlineMs());
        }
        return nextMs;
    }
}
