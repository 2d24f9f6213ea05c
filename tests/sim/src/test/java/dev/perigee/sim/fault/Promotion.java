package dev.perigee.sim.fault;

import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.cluster.Machine;
import dev.perigee.store.log.CommitLog;
import java.util.Comparator;
import java.util.Optional;

/**
 * A slave becomes the master, as whoever runs the cluster makes it by changing the files of both (docs/operations.md): the most advanced
 * one that is up, full and of the master's epoch: one that never followed it knows of none of its messages, and not which offsets they have. The master goes down before, and is a slave when it starts again.
 */
final class Promotion {
    /** Ways in which the former master goes down: in order, as a process, with its machine. */
    static final int WAYS = 3;

    private final Cluster cluster;
    private final FaultEvent event;

    Promotion(Cluster cluster, FaultEvent event) {
        this.cluster = cluster;
        this.event = event;
    }

    /** Who is going to be the master; nobody when the plan takes another one for the master than is, or no slave will do. */
    Optional<BrokerMachine> chosen() {
        BrokerMachine asked = cluster.brokers().stream()
                .filter(machine -> machine.name().equals(event.on()))
                .findFirst()
                .orElseThrow();
        BrokerMachine master = cluster.masterOf(asked);
        if (asked.isMaster()
                || !(event.other().equals(FaultEvent.NOBODY) || event.other().equals(master.name()))) {
            return Optional.empty();
        }
        return cluster.slaves().stream()
                .filter(machine -> machine.isUp()
                        && machine.isFull()
                        && machine.lastEpoch().equals(master.lastEpoch()))
                .max(Comparator.comparingLong(Promotion::end).thenComparing(machine -> machine == asked ? 1 : 0));
    }

    private static long end(BrokerMachine machine) {
        return machine.log().map(CommitLog::endOffset).orElse(0L);
    }

    /** Both go down, and their files say otherwise who is who. */
    void carryOut(BrokerMachine next) {
        BrokerMachine former = cluster.masterOf(next);
        if (former.isUp()) {
            switch (Math.floorMod(event.amount(), WAYS)) {
                case 0 -> former.stop();
                case 1 -> former.end(Machine.End.KILLED);
                default -> former.end(Machine.End.POWER_LOST);
            }
        }
        if (next.isUp()) {
            next.stop();
        }
        former.changePlacesWith(next);
    }
}
