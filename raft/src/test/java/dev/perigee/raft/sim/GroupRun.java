package dev.perigee.raft.sim;

import dev.perigee.raft.Effects;
import dev.perigee.raft.RaftConfig.HeldWhen;
import dev.perigee.raft.RaftNode;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import dev.perigee.raft.member.MembersChange;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One run of a group, all of it drawn from a seed: its size, its flush policy, the weather, what goes wrong and when. When it all has
 * been healed the group must find a leader and confirm what a client sends.
 */
final class GroupRun {
    /** What goes wrong, and what an operator does. */
    enum Event {
        LEADER_DOWN,
        KILL,
        POWER_LOSS,
        ALL_LOSE_POWER,
        STOPPED,
        ISOLATED,
        HALVED,
        ONE_WAY,
        BROKEN_CONNECTION,
        FULL_DISK,
        WIPED_DISK,
        TRANSFER,
        MEMBERS
    }

    /** What a run came to. */
    record Result(
            Map<Event, Integer> events, int elections, int acknowledged, long virtualMs, long steps, boolean loss) {}

    private static final long HEAL_MS = 6_000;

    private final SplittableRandom chance;
    private final Timetable timetable = new Timetable();
    private final Watch watch = new Watch();
    private final Wire wire;
    private final List<Machine> machines = new ArrayList<>();
    private final Map<Event, Integer> events = new EnumMap<>(Event.class);
    private final HeldWhen heldWhen;
    private final Temper temper;
    private final long faultsEndMs;
    private long wipedAtMs = -1;
    private boolean healing;
    private @Nullable String replacing;

    GroupRun(long seed, long faultsMs) {
        chance = new SplittableRandom(seed);
        temper = Temper.of(chance);
        wire = new Wire(timetable, chance.split());
        heldWhen = chance.nextInt(3) == 0 ? HeldWhen.WRITTEN : HeldWhen.FORCED;
        faultsEndMs = faultsMs;
        int voters = List.of(3, 3, 3, 5, 1, 4).get(chance.nextInt(6));
        List<Member> members = new ArrayList<>();
        List<Long> nodeIds = new ArrayList<>();
        for (int i = 0; i < voters + 1; i++) {
            nodeIds.add(chance.nextLong() | 1);
            if (i < voters) {
                members.add(new Member("n" + i, 0, "h" + i));
            }
        }
        Members configured = Members.ofVoters(members);
        Machine.World world = new Machine.World(timetable, wire, watch, chance.split(), heldWhen, temper);
        for (int i = 0; i < nodeIds.size(); i++) {
            List<Member> known = new ArrayList<>(members);
            if (i == voters) {
                known.add(new Member("n" + i, 0, "h" + i)); // a spare one, whose settings name it as well
            }
            Machine machine =
                    new Machine(world, "n" + i, nodeIds.get(i), i < voters ? configured : Members.ofVoters(known));
            machines.add(machine);
            wire.connect(machine);
        }
        wire.weather(temper.lossPercent(), temper.doublePercent(), temper.latePercent());
    }

    /** Runs it; an invariant that does not hold, here or in a node, is thrown. */
    Result run() {
        try {
            runAll();
        } catch (IllegalStateException e) {
            if (!watch.hasLost()) {
                throw e;
            }
            // Somebody still has what the group lost, and stops rather than give it up.
        }
        return new Result(
                events, watch.elections(), watch.acknowledged(), timetable.nowMs(), timetable.done(), watch.hasLost());
    }

    private void runAll() {
        machines.forEach(Machine::start);
        every(3, () -> machines.get(chance.nextInt(machines.size())).send());
        every(15, this::operate);
        faults();
        timetable.runUntil(faultsEndMs);
        heal();
        long healedMs = timetable.nowMs();
        int before = watch.acknowledged();
        boolean works = false;
        while (!works && timetable.nowMs() < healedMs + HEAL_MS) {
            timetable.runUntil(timetable.nowMs() + 50);
            works = watch.acknowledged() > before && replacing == null && allAreLevel();
        }
        if (!works) {
            throw new Watch.Broken("after " + HEAL_MS + " ms without faults the group does not work: acknowledged "
                    + (watch.acknowledged() - before) + ", replacing " + replacing + ", " + describe());
        }
    }

    private void every(long ms, Runnable task) {
        timetable.in(1 + chance.nextLong(2 * ms), () -> {
            task.run();
            every(ms, task);
        });
    }

    /** All voters are sure of what they hold, and have what the leader had confirmed. */
    private boolean allAreLevel() {
        Optional<RaftNode> leader = leader();
        if (leader.isEmpty() || !leader.get().isEstablished()) {
            return false;
        }
        for (Member voter : leader.get().members().members().voters()) {
            Machine machine = machine(voter.id());
            long has = machine.raft().map(RaftNode::confirmOffset).orElse(0L);
            if (!machine.isSound() || leader.get().confirmOffset() - has > 2_000) {
                return false;
            }
        }
        return true;
    }

    private Optional<RaftNode> leader() {
        return machines.stream()
                .filter(Machine::leads)
                .flatMap(machine -> machine.raft().stream())
                .filter(RaftNode::isEstablished)
                .findFirst();
    }

    private Machine machine(String id) {
        return machines.stream()
                .filter(machine -> machine.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    // ---- faults ----

    private void faults() {
        timetable.in(1 + chance.nextLong(2L * temper.faultEveryMs()), () -> {
            if (!healing) {
                Event[] all = Event.values();
                happen(
                        temper.leadersFall() && chance.nextBoolean()
                                ? Event.LEADER_DOWN
                                : all[chance.nextInt(all.length)]);
                if (chance.nextInt(temper.healOf()) == 0) {
                    wire.heal();
                }
                faults();
            }
        });
    }

    private void happen(Event event) {
        Machine machine = machines.get(chance.nextInt(machines.size()));
        boolean happened = switch (event) {
            case LEADER_DOWN -> leaderDown();
            case KILL -> down(machine, false);
            case POWER_LOSS -> mayLosePower() && down(machine, true);
            case ALL_LOSE_POWER -> allLosePower();
            case STOPPED -> holdUp(machine);
            case ISOLATED -> isolate(List.of(machine));
            case HALVED -> isolate(machines.subList(0, machines.size() / 2));
            case ONE_WAY -> oneWay(machine);
            case BROKEN_CONNECTION -> breakConnections(machine.id());
            case FULL_DISK -> fill(machine);
            case WIPED_DISK -> wipe(machine);
            case TRANSFER -> transfer(machine);
            case MEMBERS -> changeMembers();
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
            breakConnections(machine.id());
            timetable.in(5 + chance.nextLong(120), () -> {
                if (!machine.isUp()) {
                    machine.start();
                }
            });
        });
        return leader.isPresent();
    }

    private boolean down(Machine machine, boolean withPower) {
        if (!machine.isUp()) {
            return false;
        }
        machine.stop(withPower);
        breakConnections(machine.id());
        timetable.in(5 + chance.nextLong(400), () -> {
            if (!machine.isUp()) {
                machine.start();
            }
        });
        return true;
    }

    /**
     * Under asynchronous flush one at a time, and not before all are sure again of what they hold: more may lose what was acknowledged,
     * and are drawn only all at once. Not while a disk is gone either: then those that are left may never hear from all.
     */
    private boolean mayLosePower() {
        return heldWhen == HeldWhen.FORCED
                || (replacing == null && machines.stream().allMatch(m -> m.isUp() && m.isSound()));
    }

    private boolean allLosePower() {
        if (heldWhen == HeldWhen.WRITTEN && (replacing != null || chance.nextInt(20) != 0)) {
            return false;
        }
        machines.forEach(machine -> down(machine, true));
        return true;
    }

    private boolean holdUp(Machine machine) {
        machine.holdUp(50 + chance.nextLong(400));
        return true;
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
        machine.act(raft -> raft.fit(false));
        timetable.in(chance.nextLong(500), () -> machine.act(raft -> raft.fit(true)));
        return true;
    }

    /** A disk is lost while all others are there; the next one only when this one's place has been given to another. */
    private boolean wipe(Machine machine) {
        Optional<RaftNode> leader = leader();
        boolean may = leader.isPresent()
                && replacing == null
                && leader.get().members().members().isVoter(machine.id())
                && leader.get().members().members().voters().size() > 2
                && machines.stream().allMatch(Machine::isSound);
        if (may) {
            if (machine.isUp()) {
                machine.stop(false);
            }
            machine.wipe(chance.nextLong() | 1);
            machine.start();
            replacing = machine.id();
            wipedAtMs = timetable.nowMs();
        }
        return may;
    }

    // ---- the operator ----

    private boolean transfer(Machine to) {
        return isDone(raft -> raft.transfer(to.id()));
    }

    private boolean changeMembers() {
        Machine one = machines.get(chance.nextInt(machines.size()));
        return replacing == null
                && isDone(raft -> {
                    Members now = raft.members().members();
                    if (now.find(one.id()).isEmpty()) {
                        return raft.change(new MembersChange.Add(new Member(one.id(), one.nodeId(), "h")));
                    }
                    return raft.change(
                            now.isVoter(one.id())
                                    ? new MembersChange.Remove(one.id())
                                    : new MembersChange.Promote(one.id()));
                });
    }

    private boolean isDone(Function<RaftNode, Effects> order) {
        Optional<Machine> leader = machines.stream().filter(Machine::leads).findFirst();
        return leader.isPresent() && leader.get().act(order).refusal().isEmpty();
    }

    /** Removes the node whose disk was lost, and adds what stands in its place. */
    private void operate() {
        String id = replacing;
        if (id == null || timetable.nowMs() - wipedAtMs < 100) {
            return;
        }
        Machine machine = machine(id);
        isDone(raft -> {
            Members now = raft.members().members();
            Optional<Member> known = now.find(id);
            if (known.isEmpty()) {
                return raft.change(new MembersChange.Add(new Member(id, machine.nodeId(), "h")));
            }
            if (known.get().nodeId() != machine.nodeId()) {
                return raft.change(new MembersChange.Remove(id));
            }
            if (!now.isVoter(id)) {
                return raft.change(new MembersChange.Promote(id));
            }
            if (raft.members().factEnd() <= raft.confirmOffset()) {
                replacing = null;
            }
            return Effects.NONE;
        });
    }

    private void heal() {
        healing = true;
        wire.heal();
        wire.weather(0, 0, 0);
        for (Machine machine : machines) {
            if (!machine.isUp()) {
                machine.start();
            }
            timetable.in(500, () -> machine.act(raft -> raft.fit(true)));
        }
    }

    private String describe() {
        StringBuilder text = new StringBuilder();
        for (Machine machine : machines) {
            text.append(machine.id());
            machine.raft()
                    .ifPresent(raft -> text.append(' ')
                            .append(raft.role().kind())
                            .append(" term ")
                            .append(raft.term())
                            .append(" leader ")
                            .append(raft.leaderId())
                            .append(" end ")
                            .append(raft.end())
                            .append(" confirm ")
                            .append(raft.confirmOffset())
                            .append(' ')
                            .append(raft.condition())
                            .append(" members ")
                            .append(raft.members())
                            .append("; "));
        }
        return text.toString();
    }
}
