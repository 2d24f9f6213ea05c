package dev.perigee.raft.sim;

import dev.perigee.raft.Effects;
import dev.perigee.raft.RaftNode;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import dev.perigee.raft.member.MembersChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Moves leadership, changes members, and gives the place of a node whose disk was lost to what stands there now. */
final class Operator {
    private static final long NOTICES_AFTER_MS = 100;

    private final Timetable timetable;
    private final RandomGenerator chance;
    private final List<Machine> machines;
    private @Nullable Machine replacing;
    private long wipedAtMs;

    /** When each change of the members was appended. */
    private final List<Long> changesMs = new ArrayList<>();

    Operator(Timetable timetable, RandomGenerator chance, List<Machine> machines) {
        this.timetable = timetable;
        this.chance = chance;
        this.machines = machines;
    }

    /** Whose place is to be given away; empty when all have theirs. */
    Optional<String> replacing() {
        return Optional.ofNullable(replacing).map(Machine::id);
    }

    /** Whoever leads and has confirmed its own epoch. */
    Optional<RaftNode> leader() {
        return machines.stream()
                .filter(Machine::leads)
                .flatMap(machine -> machine.raft().stream())
                .filter(RaftNode::isEstablished)
                .findFirst();
    }

    boolean transfer(Machine to) {
        return isDone(raft -> raft.transfer(to.id()));
    }

    boolean changeMembers() {
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

    /** How often members were changed. */
    int changes() {
        return changesMs.size();
    }

    /** In how many of so many parts of a time, from the beginning on, members were changed. */
    int partsWithChanges(long timeMs, int parts) {
        return (int) changesMs.stream()
                .filter(ms -> ms < timeMs)
                .map(ms -> ms * parts / timeMs)
                .distinct()
                .count();
    }

    private boolean isDone(Function<RaftNode, Effects> order) {
        Optional<Machine> leader = machines.stream().filter(Machine::leads).findFirst();
        Effects effects = leader.isPresent() ? leader.get().act(order) : Effects.NONE;
        if (effects.append().isPresent()) {
            changesMs.add(timetable.nowMs());
        }
        return leader.isPresent() && effects.refusal().isEmpty();
    }

    /** A disk is lost while all others are there; the next one only when this one's place has been given to another. */
    boolean wipe(Machine machine) {
        Optional<RaftNode> leader = leader();
        boolean may = leader.isPresent()
                && replacing == null
                && leader.get().members().members().isVoter(machine.id())
                && machines.stream().allMatch(other -> other.isSound() && knowsEnoughVoters(other));
        if (may) {
            if (machine.isUp()) {
                machine.stop(false);
            }
            machine.wipe(chance.nextLong() | 1);
            machine.start();
            replacing = machine;
            wipedAtMs = timetable.nowMs();
        }
        return may;
    }

    /** A majority must be left without it, whichever of the memberships counts that are under way. */
    private static boolean knowsEnoughVoters(Machine machine) {
        return machine.raft()
                .map(raft -> raft.members().members().voters().size() > 2)
                .orElse(false);
    }

    /** Removes the node whose disk was lost, and adds what stands in its place. */
    void operate() {
        Machine machine = replacing;
        if (machine == null || timetable.nowMs() - wipedAtMs < NOTICES_AFTER_MS) {
            return;
        }
        String id = machine.id();
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
}
