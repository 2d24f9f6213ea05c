package dev.perigee.sim.fault;

import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.cluster.Layout;
import dev.perigee.sim.cluster.Machine;
import dev.perigee.sim.cluster.Roads;
import dev.perigee.sim.cluster.Weather;
import dev.perigee.store.recovery.CorruptLogException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/** Does to a cluster what a plan says, and starts again what has ended, as whoever runs a cluster does. */
public final class FaultInjector {
    /** Between the end of a process nobody planned, or a start that failed, and the next start. */
    private static final long RESTART_MS = 500;

    /** So long it takes at most until a running broker has noticed that its clock was set, and has written it down. */
    private static final long NOTICE_MS = 2_000;

    private static final int ROTTEN_BIT = 0x10;

    private final Cluster cluster;
    private final FaultPlan plan;
    private final Consumer<String> note;
    private final RottenByte rottenByte;
    private final boolean isOneAtATime;
    private final GroupFaults group;
    private final Map<String, Long> awayUntilMs = new HashMap<>();
    private final Set<String> startsPlanned = new HashSet<>();
    private final Map<String, Rot> rotten = new HashMap<>();
    private final Map<String, Long> setAheadMs = new HashMap<>();
    private final Map<String, Long> frozenUntilMs = new HashMap<>();
    private final Map<String, Long> wrongClocks = new HashMap<>();
    private final Set<String> mayBeEarly = new HashSet<>();
    private final List<String> problems = new ArrayList<>();
    private int refusals;
    private int promotions;
    private boolean isCalm;

    /** Chooses a byte that is to rot. */
    @FunctionalInterface
    public interface RottenByte {
        /** The offset of a byte that this machine has confirmed, chosen by a number; empty when there is none. */
        OptionalLong of(BrokerMachine machine, long number);
    }

    /** Where a bit of a log is rotten. */
    private record Rot(BrokerMachine machine, long offset) {}

    /** Begins at once; events that lie in the past happen at the next moment. */
    public FaultInjector(Cluster cluster, FaultPlan plan, Consumer<String> note, RottenByte rottenByte) {
        this.cluster = cluster;
        this.plan = plan;
        this.note = note;
        this.rottenByte = rottenByte;
        this.group = new GroupFaults(cluster, note);
        this.isOneAtATime = OneAtATime.holds(
                plan, cluster.brokers().stream().map(BrokerMachine::name).toList());
        for (FaultEvent event : plan.events()) {
            int steps = event.kind() == FaultKind.KILL || event.kind() == FaultKind.POWER_LOSS
                    ? Math.toIntExact(event.amount())
                    : 0;
            cluster.timetable().plan(event.atMs(), steps, () -> happen(event));
        }
        cluster.watch(this::tend);
    }

    /** What goes wrong. */
    public FaultPlan plan() {
        return plan;
    }

    /** What brokers did that they must not do when something goes wrong. */
    public List<String> problems() {
        return problems;
    }

    /** How often a broker refused to start on a rotten log. */
    public int refusals() {
        return refusals;
    }

    /** How often a slave was made the master. */
    public int promotions() {
        return promotions;
    }

    /** Whether the clock of a machine was set ahead at a time at which its broker could not write that down. */
    public boolean mayBeEarly(String machine) {
        return mayBeEarly.contains(machine);
    }

    /** Of a group: how often what happened under load. */
    public Map<FaultKind, Integer> happened() {
        return group.happened();
    }

    /** Whether nobody is about to be replaced. */
    public boolean isSettled() {
        return group.operator().isSettled();
    }

    private long nowMs() {
        return cluster.clock().sinceStartMs();
    }

    private void happen(FaultEvent planned) throws Exception {
        FaultEvent event = cluster.isGroup() ? group.fitting(planned) : planned;
        if (cluster.isGroup() && group.waits(event)) {
            cluster.timetable().plan(nowMs() + GroupFaults.LATER_MS, 0, () -> happen(planned));
            return;
        }
        note.accept("fault " + event);
        switch (event.kind()) {
            case CUT -> cluster.cut(event.on(), event.other());
            case LOSE -> trouble(event, new Weather(Math.toIntExact(event.amount()), 0));
            case DELAY -> trouble(event, new Weather(0, Math.toIntExact(event.amount())));
            case DOUBLE -> trouble(event, Weather.doubling(Math.toIntExact(event.amount())));
            case OVERTAKE -> trouble(event, Weather.overtaking(Math.toIntExact(event.amount())));
            case GARBLE -> trouble(event, Weather.garbling(Math.toIntExact(event.amount())));
            case PART -> {
                trouble(event, parted(event));
                trouble(event.other(), event.on(), event.lastsMs(), parted(event));
            }
            case PART_ONE_WAY -> trouble(event, parted(event));
            case FREEZE -> freeze(event);
            case RESTART, KILL -> endMachine(event);
            case POWER_LOSS, KILL_IN_CALL, POWER_LOSS_IN_CALL, LOSE_VIEWS, ROT -> endBroker(event, broker(event.on()));
            case WIPE -> {
                if (cluster.isGroup()) {
                    group.operator().replace(event);
                } else {
                    endBroker(event, broker(event.on()));
                }
            }
            case TRANSFER -> group.operator().transfer(event);
            case REPLACE -> group.operator().replace(event);
            case HEAL -> broker(event.on()).heal();
            case PROMOTE -> promote(event);
            case CLOCK -> setClock(event);
            case FAIL_FORCE, FAIL_WRITE, FILL, STALL -> harmDisk(event, broker(event.on()));
        }
    }

    private Weather parted(FaultEvent event) {
        return Weather.parted(cluster.clock().monotonicMs() + event.lastsMs());
    }

    private void trouble(FaultEvent event, Weather weather) {
        trouble(event.on(), event.other(), event.lastsMs(), weather);
    }

    private void trouble(String from, String to, long lastsMs, Weather weather) {
        Runnable end = cluster.roads().trouble(from, to, weather);
        cluster.timetable().plan(nowMs() + lastsMs, 0, end::run);
    }

    private void freeze(FaultEvent event) {
        Machine machine = machine(event.on());
        if (machine.isUp()) {
            machine.freeze();
            frozenUntilMs.merge(event.on(), nowMs() + event.lastsMs(), Math::max);
            trouble(event.on(), Roads.ANYBODY, event.lastsMs(), parted(event));
            trouble(Roads.ANYBODY, event.on(), event.lastsMs(), parted(event));
            cluster.timetable().plan(nowMs() + event.lastsMs(), 0, () -> thaw(machine));
        }
    }

    private void thaw(Machine machine) {
        if (frozenUntilMs.getOrDefault(machine.name(), 0L) <= nowMs()) {
            machine.thaw();
        }
    }

    private void endMachine(FaultEvent event) {
        Machine machine = machine(event.on());
        stayAway(event);
        if (!machine.isUp()) {
            return;
        }
        if (event.kind() == FaultKind.RESTART) {
            machine.stop();
        } else {
            machine.end(Machine.End.KILLED);
        }
    }

    private void promote(FaultEvent event) {
        Promotion promotion = new Promotion(cluster, event);
        promotion.chosen().ifPresent(next -> {
            BrokerMachine former = cluster.masterOf(next);
            awayUntilMs.merge(former.name(), nowMs() + event.lastsMs(), Math::max);
            promotion.carryOut(next);
            promotions++;
            note.accept(next.name() + " is to be the master, " + former.name() + " its slave");
        });
    }

    private void stayAway(FaultEvent event) {
        awayUntilMs.merge(event.on(), nowMs() + event.lastsMs(), Math::max);
    }

    private void endBroker(FaultEvent event, BrokerMachine machine) throws Exception {
        if (rotten.containsKey(machine.name())) {
            return; // another loss could take the proof that the byte was on the disk
        }
        int calls = Math.toIntExact(event.amount());
        switch (event.kind()) {
            case KILL_IN_CALL -> {
                machine.endInCall(calls, Machine.End.KILLED);
                return;
            }
            case POWER_LOSS_IN_CALL -> {
                machine.endInCall(calls, Machine.End.POWER_LOST);
                return;
            }
            default -> stayAway(event);
        }
        if (event.kind() == FaultKind.POWER_LOSS && !isOneAtATime && !machine.forces() && event.amount() % 2 == 0) {
            cluster.masterOf(machine).acceptLoss(); // half of those who run a cluster do so in advance
        }
        boolean wasUp = machine.isUp();
        if (event.kind() == FaultKind.POWER_LOSS && cluster.isGroup()) {
            GroupFaults.losePower(machine);
        } else if (wasUp) {
            machine.end(event.kind() == FaultKind.POWER_LOSS ? Machine.End.POWER_LOST : Machine.End.KILLED);
        }
        if (event.kind() == FaultKind.WIPE && !machine.isMaster()) {
            machine.wipe();
            if (!isOneAtATime) {
                cluster.masterOf(machine).acceptLoss(); // the node its log names may never come
            }
        } else if (event.kind() != FaultKind.POWER_LOSS) {
            machine.loseViews();
        }
        OptionalLong offset = rottenByte.of(machine, event.amount());
        if (event.kind() == FaultKind.ROT && offset.isPresent() && wasUp) {
            rot(event, new Rot(machine, offset.getAsLong()));
        }
    }

    private void rot(FaultEvent event, Rot rot) throws Exception {
        rot.machine.flipInLog(rot.offset, ROTTEN_BIT);
        rotten.put(event.on(), rot);
        awayUntilMs.put(event.on(), nowMs()); // it is to be seen that it does not start
        cluster.timetable().plan(nowMs() + event.lastsMs(), 0, () -> mend(event.on()));
    }

    private void mend(String name) throws Exception {
        Rot rot = rotten.remove(name);
        if (rot != null) {
            rot.machine.flipInLog(rot.offset, ROTTEN_BIT);
            note.accept("mended " + name);
        }
    }

    /** In a group it is set right again: whoever leads next goes by his own, and what waits would wait for as long as they differ. */
    private void setClock(FaultEvent event) {
        setClock(event.on(), event.amount());
        if (cluster.isGroup()) {
            wrongClocks.merge(event.on(), event.amount(), Long::sum);
            cluster.timetable().plan(nowMs() + event.lastsMs(), 0, () -> setRight(event.on()));
        }
    }

    private void setRight(String name) {
        Long ms = wrongClocks.remove(name);
        if (ms != null) {
            setClock(name, -ms);
        }
    }

    private void setClock(String name, long ms) {
        Machine machine = machine(name);
        machine.jump(ms);
        if (cluster.isGroup()) {
            mayBeEarly.add(broker(name).brokerName());
            return;
        }
        if (ms > 0) {
            setAheadMs.put(name, Math.max(nowMs(), frozenUntilMs.getOrDefault(name, 0L)));
            if (!machine.isUp() || mayWait(machine)) {
                mayBeEarly.add(name);
            }
        }
    }

    /** One that is up and may wait for slaves before it writes anything, as a master does that had some and has been away. */
    private static boolean mayWait(Machine machine) {
        return machine instanceof BrokerMachine broker
                && (broker.role() == Layout.Role.SYNC_MASTER || broker.role() == Layout.Role.ASYNC_MASTER)
                && broker.changes() > 1;
    }

    /** A process ended that may not have written down yet that its clock was set. */
    private void ended(String name) {
        if (nowMs() - setAheadMs.getOrDefault(name, -NOTICE_MS) < NOTICE_MS) {
            mayBeEarly.add(name);
        }
    }

    private void harmDisk(FaultEvent event, BrokerMachine machine) {
        switch (event.kind()) {
            case FAIL_FORCE -> machine.failNextForce();
            case FAIL_WRITE -> machine.failNextWrite();
            case STALL -> {
                machine.stall(true);
                cluster.timetable().plan(nowMs() + event.lastsMs(), 0, () -> machine.stall(false));
            }
            default -> {
                machine.fill(true);
                cluster.timetable().plan(nowMs() + event.lastsMs(), 0, () -> machine.fill(false));
            }
        }
    }

    /** Plans the start of what has ended, and of what ended by itself. */
    private void tend() {
        tendMachines();
        try {
            group.tend();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void tendMachines() {
        for (Machine machine : cluster.machines()) {
            if (!machine.isUp() && startsPlanned.add(machine.name())) {
                ended(machine.name());
                long atMs = Math.max(nowMs() + RESTART_MS, awayUntilMs.getOrDefault(machine.name(), 0L));
                cluster.timetable().plan(atMs, 0, () -> start(machine));
            }
        }
    }

    private void start(Machine machine) {
        startsPlanned.remove(machine.name());
        if (machine.isUp() || awayUntilMs.getOrDefault(machine.name(), 0L) > nowMs()) {
            return; // somebody else was faster, or it went away once more
        }
        Rot rot = rotten.get(machine.name());
        try {
            machine.start();
            note.accept("started " + machine.name());
            if (rot != null) {
                startedRotten(rot);
            }
        } catch (Exception e) {
            note.accept("not started " + machine.name() + ": " + e);
            refusals += rot == null ? 0 : 1;
            boolean isDefect = (e instanceof RuntimeException && !(e instanceof UncheckedIOException))
                    || (e instanceof CorruptLogException && rot == null);
            if (isCalm || isDefect) {
                problems.add(machine.name() + " does not start: " + e);
            }
        }
    }

    /** A slave may cut off what is not known to be on its disk, and fetch it again: then it is rotten no more. */
    private void startedRotten(Rot rot) {
        BrokerMachine machine = rot.machine;
        if (machine.isMaster() || machine.log().orElseThrow().endOffset() > rot.offset) {
            problems.add(machine.name() + " starts on a rotten log");
        } else {
            rotten.remove(machine.name());
        }
    }

    /** Whatever has begun ends now, nothing more begins, and what is away comes back. */
    public void calm() throws Exception {
        isCalm = true;
        group.calm();
        cluster.timetable().clear();
        cluster.roads().clear();
        List.copyOf(wrongClocks.keySet()).forEach(this::setRight);
        startsPlanned.clear();
        awayUntilMs.clear();
        for (String name : List.copyOf(rotten.keySet())) {
            mend(name);
        }
        cluster.brokers().forEach(BrokerMachine::heal);
        cluster.machines().forEach(Machine::thaw);
        tend();
    }

    private Machine machine(String name) {
        return cluster.machines().stream()
                .filter(machine -> machine.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no machine " + name));
    }

    private BrokerMachine broker(String name) {
        return cluster.brokers().stream()
                .filter(machine -> machine.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no broker " + name));
    }
}
