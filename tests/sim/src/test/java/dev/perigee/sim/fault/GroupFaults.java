package dev.perigee.sim.fault;

import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.cluster.Machine;
import java.io.IOException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Of a plan for a group, when it happens and how often it did: what is planned for a process that is not there waits until it is, and
 * nothing happens while the first change of members waits for all of them, so that each run mixes what its plan mixes. What happens when
 * the load is over does not count.
 */
final class GroupFaults {
    /** So much later it is looked again whether something can happen. */
    static final long LATER_MS = 250;

    /** For so long the first change of members waits for a moment at which all are well, before nothing more goes wrong until then. */
    private static final long PATIENCE_MS = 3_000;

    private static final Set<FaultKind> OF_OPERATOR =
            EnumSet.of(FaultKind.WIPE, FaultKind.REPLACE, FaultKind.TRANSFER, FaultKind.HEAL, FaultKind.PROMOTE);

    private final Cluster cluster;
    private final GroupOperator operator;
    private final Map<FaultKind, Integer> happened = new EnumMap<>(FaultKind.class);
    private boolean isCalm;

    GroupFaults(Cluster cluster, Consumer<String> note) {
        this.cluster = cluster;
        this.operator = new GroupOperator(cluster, note);
    }

    /** Whoever runs the group. */
    GroupOperator operator() {
        return operator;
    }

    /** How often what happened under load; of what an operator does, what was begun. */
    Map<FaultKind, Integer> happened() {
        Map<FaultKind, Integer> all = new EnumMap<>(happened);
        if (!isCalm) {
            all.putAll(operator.done());
        }
        return all;
    }

    /** The load is over. */
    void calm() {
        if (!isCalm) {
            happened.putAll(operator.done());
            isCalm = true;
        }
    }

    /** Goes on with what the operator has begun. */
    void tend() throws IOException {
        operator.tend();
    }

    /** As it may happen now: nobody loses power while a disk is gone. */
    FaultEvent fitting(FaultEvent event) {
        if (!operator.isReplacing()) {
            return event;
        }
        return switch (event.kind()) {
            case POWER_LOSS -> event.as(FaultKind.KILL);
            case POWER_LOSS_IN_CALL -> event.as(FaultKind.KILL_IN_CALL);
            default -> event;
        };
    }

    /** Whether an event cannot happen yet; if it can, it is counted. */
    boolean waits(FaultEvent event) {
        if (OF_OPERATOR.contains(event.kind())) {
            return false; // it is counted when it is begun
        }
        boolean waits = operator.waitsForFirst(PATIENCE_MS)
                || (isAway(event.on()) && event.kind() != FaultKind.POWER_LOSS)
                || isAway(event.other());
        if (!waits) {
            happened.merge(event.kind(), 1, Integer::sum);
        }
        return waits;
    }

    /** Whether this is a machine without a process. */
    private boolean isAway(String name) {
        return cluster.machines().stream()
                .filter(machine -> machine.name().equals(name))
                .anyMatch(machine -> !machine.isUp());
    }

    /** A machine loses its power, whether a process of a broker runs on it or not. */
    static void losePower(BrokerMachine machine) {
        if (machine.isUp()) {
            machine.end(Machine.End.POWER_LOST);
        } else {
            machine.losePowerWhileDown();
        }
    }
}
