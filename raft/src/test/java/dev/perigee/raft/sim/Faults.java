package dev.perigee.raft.sim;

import dev.perigee.raft.Fitness;
import dev.perigee.raft.RaftConfig.HeldWhen;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** What goes wrong with a group, and how often it did. */
final class Faults {
    /** What goes wrong, and what an operator does. */
    enum Event {
        LEADER_DOWN(Kind.CRASH),
        KILL(Kind.CRASH),
        POWER_LOSS(Kind.CRASH),
        ALL_LOSE_POWER(Kind.CRASH),
        STOPPED(Kind.TIME),
        CLOCK_JUMP(Kind.TIME),
        ISOLATED(Kind.PARTITION),
        HALVED(Kind.PARTITION),
        ONE_WAY(Kind.PARTITION),
        BROKEN_CONNECTION(Kind.PARTITION),
        FULL_DISK(Kind.DISK),
        SLOW_DISK(Kind.DISK),
        FAILED_FORCE(Kind.DISK),
        WIPED_DISK(Kind.DISK),
        TRANSFER(Kind.LEADERSHIP),
        MEMBERS(Kind.MEMBERS);

        private final Kind kind;

        Event(Kind kind) {
            this.kind = kind;
        }

        Kind kind() {
            return kind;
        }
    }

    /** Of what kind that is. Every run mixes all of them. */
    enum Kind {
        CRASH,
        TIME,
        PARTITION,
        DISK,
        LEADERSHIP,
        MEMBERS
    }

    private static final Event[] ALL = Event.values();
    /** In this last part of a run a majority may forget under asynchronous flush: less is asked of what comes after that. */
    private static final int LAST_PART = 8;

    private static final int SELDOM = 8;

    private final Timetable timetable;
    private final Wire wire;
    private final RandomGenerator chance;
    private final List<Machine> machines;
    private final Operator operator;
    private final HeldWhen heldWhen;
    private final long faultsMs;
    private final Map<Event, Integer> events = new EnumMap<>(Event.class);

    Faults(Machine.World world, RandomGenerator chance, List<Machine> machines, Operator operator, long faultsMs) {
        this.timetable = world.timetable();
        this.wire = world.wire();
        this.heldWhen = world.heldWhen();
        this.chance = chance;
        this.machines = machines;
        this.operator = operator;
        this.faultsMs = faultsMs;
    }

    /** How often each happened. */
    Map<Event, Integer> events() {
        events.put(Event.MEMBERS, operator.changes());
        return events;
    }

    /** The kinds of which nothing has happened yet. */
    Set<Kind> missing() {
        Set<Kind> missing = EnumSet.allOf(Kind.class);
        events.keySet().forEach(event -> missing.remove(event.kind()));
        if (operator.changes() > 0) {
            missing.remove(Kind.MEMBERS);
        }
        return missing;
    }

    /** Something of a kind that is missing goes wrong, if it can now. Where a transfer is, members may have to change first. */
    void happenMissing() {
        Set<Kind> wanted = missing();
        if (wanted.contains(Kind.LEADERSHIP)) {
            wanted.add(Kind.MEMBERS);
        }
        List<Event> next =
                Stream.of(ALL).filter(event -> wanted.contains(event.kind())).toList();
        happen(next.get(chance.nextInt(next.size())));
    }

    /** Something goes wrong, as chance has it. */
    void happen(boolean leadersFall) {
        happen(leadersFall && chance.nextBoolean() ? Event.LEADER_DOWN : ALL[chance.nextInt(ALL.length)]);
    }

    /** That goes wrong, if it can now. */
    void happen(Event event) {
        Machine machine = machines.get(chance.nextInt(machines.size()));
        boolean happened = switch (event) {
            case LEADER_DOWN -> leaderDown();
            case KILL -> down(machine, false);
            case POWER_LOSS -> mayLosePower() && down(machine, true);
            case ALL_LOSE_POWER -> allLosePower();
            case STOPPED -> {
                machine.holdUp(50 + chance.nextLong(400));
                yield true;
            }
            case CLOCK_JUMP -> {
                machine.jumpClock(1 + chance.nextLong(chance.nextBoolean() ? 200 : 100_000));
                yield true;
            }
            case ISOLATED -> isolate(List.of(machine));
            case HALVED -> isolate(machines.subList(0, machines.size() / 2));
            case ONE_WAY -> oneWay(machine);
            case BROKEN_CONNECTION -> breakConnections(machine.id());
            case FULL_DISK -> fill(machine);
            case SLOW_DISK -> {
                machine.stallDisk(20 + chance.nextLong(400));
                yield true;
            }
            case FAILED_FORCE -> {
                machine.failNextForce(this::mayLosePower, () -> forceFailed(machine));
                yield false; // it is counted when it comes to that
            }
            case WIPED_DISK -> operator.wipe(machine);
            case TRANSFER -> operator.transfer(machine);
            case MEMBERS -> {
                operator.changeMembers();
                yield false; // counted by the operator, with those that give a wiped node its place again
            }
        };
        if (happened) {
            events.merge(event, 1, Integer::sum);
        }
    }

    /** With its power, where that loses nothing that was acknowledged; and soon it is back. */
    private boolean leaderDown() {
        Optional<Machine> leader = machines.stream().filter(Machine::leads).findFirst();
        leader.ifPresent(machine -> {
            machine.stop(heldWhen == HeldWhen.FORCED && chance.nextBoolean());
            restart(machine, 120);
        });
        return leader.isPresent();
    }

    private boolean down(Machine machine, boolean withPower) {
        if (!machine.isUp()) {
            return false;
        }
        machine.stop(withPower);
        restart(machine, 400);
        return true;
    }

    private void forceFailed(Machine machine) {
        events.merge(Event.FAILED_FORCE, 1, Integer::sum);
        restart(machine, 400);
    }

    private void restart(Machine machine, int withinMs) {
        breakConnections(machine.id());
        timetable.in(5 + chance.nextLong(withinMs), () -> {
            if (!machine.isUp()) {
                machine.start();
            }
        });
    }

    /**
     * Under asynchronous flush one at a time, and not before all are sure again of what they hold: more may lose what was acknowledged,
     * and are drawn only all at once. Not while a disk is gone either: then those that are left may never hear from all. And not where one may lead
     * alone.
     */
    private boolean mayLosePower() {
        return heldWhen == HeldWhen.FORCED
                || (operator.replacing().isEmpty()
                        && machines.stream().allMatch(m -> m.isUp() && m.isSound() && !mayLeadAlone(m)));
    }

    /** As far as it knows, or if it forgot what is not confirmed: then nobody else holds what it does. */
    private static boolean mayLeadAlone(Machine machine) {
        return machine.raft()
                .map(raft -> {
                    int voters = raft.members().members().voters().size();
                    return voters == 1 || (voters == 2 && raft.members().factEnd() > raft.confirmOffset());
                })
                .orElse(false);
    }

    private boolean allLosePower() {
        if (heldWhen == HeldWhen.WRITTEN && !mayForget()) {
            return false;
        }
        machines.forEach(machine -> down(machine, true));
        return true;
    }

    private boolean mayForget() {
        return timetable.nowMs() >= faultsMs - faultsMs / LAST_PART
                && missing().isEmpty()
                && operator.replacing().isEmpty()
                && chance.nextInt(SELDOM) == 0;
    }

    private boolean isolate(List<Machine> some) {
        for (Machine one : some) {
            for (Machine other : machines) {
                if (!some.contains(other)) {
                    wire.cut(one.id(), other.id());
                    wire.cut(other.id(), one.id());
                }
            }
        }
        return true;
    }

    private boolean oneWay(Machine machine) {
        for (Machine other : machines) {
            if (chance.nextBoolean()) {
                wire.cut(machine.id(), other.id());
            }
        }
        return true;
    }

    private boolean breakConnections(String to) {
        for (Machine other : machines) {
            timetable.in(chance.nextLong(5), () -> other.act(raft -> raft.connectionLost(to)));
        }
        return true;
    }

    private boolean fill(Machine machine) {
        machine.act(raft -> raft.fit(Fitness.BLOCKED));
        Fitness then = List.of(Fitness.WELL, Fitness.SLOW, Fitness.FULL).get(chance.nextInt(3));
        timetable.in(chance.nextLong(500), () -> machine.act(raft -> raft.fit(then)));
        return true;
    }
}
