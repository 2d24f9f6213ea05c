package dev.perigee.raft.sim;

import dev.perigee.raft.Fitness;
import dev.perigee.raft.RaftConfig.HeldWhen;
import dev.perigee.raft.RaftNode;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * One run of a group, all of it drawn from a seed: its size, its flush policy, the weather, what goes wrong and when. A long one has lulls,
 * each of which ends with a change of the members. It goes on until something of each kind has gone wrong. When it all has been healed the
 * group must find a leader and confirm what a client sends.
 */
final class GroupRun {
    /**
     * What a run came to.
     *
     * @param isMixed whether something of every kind went wrong in it
     * @param tenthsWithChanges in how many tenths of the time of faults members were changed
     * @param loss whether the group said that something may be lost; from then on less is looked at
     */
    record Result(
            Map<Faults.Event, Integer> events,
            boolean isMixed,
            int tenthsWithChanges,
            int elections,
            int acknowledged,
            long virtualMs,
            long steps,
            boolean loss) {}

    private static final long HEAL_MS = 6_000;
    /** Who fills itself anew may have to be fed a part of all that was written in this time. */
    private static final int FEED_PART = 10;

    private static final int TENTHS = 10;

    private static final long MIX_MS = 60_000;
    /** In this first part of that time the weather stays what it was. */
    private static final long MIX_IN_WEATHER_MS = 5_000;

    private static final long TRY_EVERY_MS = 50;
    /** Between two lulls, on average. Shorter runs have none. */
    private static final long LULL_EVERY_MS = 15_000;
    /** The longest lull. */
    private static final long LULL_MS = 5_000;

    private final SplittableRandom chance;
    private final Timetable timetable = new Timetable();
    private final Watch watch;
    private final Wire wire;
    private final List<Machine> machines = new ArrayList<>();
    private final Operator operator;
    private final Faults faults;
    private final Temper temper;
    private final long faultsEndMs;
    /** What goes wrong now is asked for, and nothing else does. */
    private boolean calm;
    /** Nothing goes wrong until members were changed. */
    private boolean lull;

    GroupRun(long seed, long faultsMs) {
        chance = new SplittableRandom(seed);
        temper = Temper.of(chance);
        wire = new Wire(timetable, chance.split());
        HeldWhen heldWhen = chance.nextInt(3) == 0 ? HeldWhen.WRITTEN : HeldWhen.FORCED;
        watch = new Watch(heldWhen == HeldWhen.WRITTEN);
        faultsEndMs = faultsMs;
        Machine.World world = new Machine.World(timetable, wire, watch, chance.split(), heldWhen, temper);
        int voters = List.of(3, 3, 3, 5, 1, 4).get(chance.nextInt(6));
        addMachines(world, voters);
        operator = new Operator(timetable, chance, machines);
        faults = new Faults(world, chance, machines, operator, faultsMs);
        roughWeather();
    }

    private void roughWeather() {
        wire.weather(temper.lossPercent(), temper.doublePercent(), temper.latePercent());
    }

    /** So many voters, and a spare one, whose settings name it as well. */
    private void addMachines(Machine.World world, int voters) {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < voters; i++) {
            members.add(new Member("n" + i, 0, "h" + i));
        }
        Members configured = Members.ofVoters(members);
        for (int i = 0; i <= voters; i++) {
            List<Member> known = new ArrayList<>(members);
            if (i == voters) {
                known.add(new Member("n" + i, 0, "h" + i));
            }
            Machine machine = new Machine(
                    world, "n" + i, chance.nextLong() | 1, i < voters ? configured : Members.ofVoters(known));
            machines.add(machine);
            wire.connect(machine);
        }
    }

    /** Runs it; an invariant that does not hold, here or in a node, is thrown. */
    Result run() {
        try {
            runAll();
        } catch (IllegalStateException e) {
            if (!watch.hasLost() || !faults.missing().isEmpty()) {
                throw e;
            }
            // Somebody still has what the group lost, and stops rather than give it up.
        }
        return new Result(
                faults.events(),
                faults.missing().isEmpty(),
                operator.partsWithChanges(faultsEndMs, TENTHS),
                watch.elections(),
                watch.acknowledged(),
                timetable.nowMs(),
                timetable.done(),
                watch.hasLost());
    }

    private void runAll() {
        machines.forEach(Machine::start);
        every(3, () -> machines.get(chance.nextInt(machines.size())).send());
        every(15, operator::operate);
        every(5, this::lookWhoAnswers);
        disturb();
        if (faultsEndMs > LULL_EVERY_MS) {
            planLull();
        }
        timetable.runUntil(faultsEndMs);
        mix();
        heal();
        long healedMs = timetable.nowMs();
        long patienceMs = HEAL_MS + faultsEndMs / FEED_PART;
        int before = watch.acknowledged();
        boolean works = false;
        while (!works && timetable.nowMs() < healedMs + patienceMs) {
            timetable.runUntil(timetable.nowMs() + 50);
            works = watch.acknowledged() > before && operator.replacing().isEmpty() && allAreLevel();
        }
        if (!works) {
            throw new Watch.Broken("after " + patienceMs + " ms without faults the group does not work: acknowledged "
                    + (watch.acknowledged() - before) + ", replacing " + operator.replacing() + ", " + describe());
        }
    }

    private void lookWhoAnswers() {
        List<Machine> answering = machines.stream().filter(Machine::answers).toList();
        if (answering.size() > 1) {
            watch.answer(answering);
        }
    }

    private void every(long ms, Runnable task) {
        timetable.in(1 + chance.nextLong(2 * ms), () -> {
            task.run();
            every(ms, task);
        });
    }

    private void disturb() {
        timetable.in(1 + chance.nextLong(2L * temper.faultEveryMs()), () -> {
            if (!calm) {
                if (!lull) {
                    faults.happen(temper.leadersFall());
                    if (chance.nextInt(temper.healOf()) == 0) {
                        wire.heal();
                    }
                }
                disturb();
            }
        });
    }

    private void planLull() {
        timetable.in(LULL_EVERY_MS / 2 + chance.nextLong(LULL_EVERY_MS), () -> {
            if (!calm) {
                lull = true;
                wire.heal();
                wire.weather(0, 0, 0);
                changeMembers(operator.changes(), timetable.nowMs() + LULL_MS);
            }
        });
    }

    /** A storm may let no change of members through for minutes. Here one gets as far as into the leader's log, and then the storm is back. */
    private void changeMembers(int changesBefore, long endMs) {
        if (calm) {
            return;
        }
        if (operator.changes() > changesBefore || timetable.nowMs() >= endMs) {
            lull = false;
            roughWeather();
            planLull();
        } else {
            faults.happen(Faults.Event.MEMBERS);
            timetable.in(TRY_EVERY_MS, () -> changeMembers(changesBefore, endMs));
        }
    }

    /**
     * Goes on until something of each kind has happened: most often only a change of members is missing, which bad weather may not let
     * through.
     */
    private void mix() {
        calm = true;
        long beganMs = timetable.nowMs();
        while (!faults.missing().isEmpty()) {
            long forMs = timetable.nowMs() - beganMs;
            if (forMs >= MIX_MS) {
                throw new Watch.Broken("for " + forMs + " ms nothing came of " + faults.missing() + ", " + describe());
            }
            if (forMs >= MIX_IN_WEATHER_MS) {
                wire.weather(0, 0, 0);
            }
            wire.heal();
            faults.happenMissing();
            timetable.runUntil(timetable.nowMs() + TRY_EVERY_MS);
        }
    }

    /** All voters are sure of what they hold, and have what the leader had confirmed. */
    private boolean allAreLevel() {
        Optional<RaftNode> leader = operator.leader();
        if (leader.isEmpty()) {
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

    private Machine machine(String id) {
        return machines.stream()
                .filter(machine -> machine.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private void heal() {
        wire.heal();
        wire.weather(0, 0, 0);
        for (Machine machine : machines) {
            if (!machine.isUp()) {
                machine.start();
            }
            machine.healDisk();
            timetable.in(500, () -> machine.act(raft -> raft.fit(Fitness.WELL)));
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
