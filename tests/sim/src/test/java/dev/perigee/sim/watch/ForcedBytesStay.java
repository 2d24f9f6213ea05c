package dev.perigee.sim.watch;

import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.store.log.CommitLog;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a broker knew to be on its disk is there when it starts again, whatever it answers for; of a slave what it knew to be confirmed besides, for the rest of its
 * log may have been cut off.
 */
final class ForcedBytesStay implements LogInvariant {
    private final List<BrokerMachine> machines;
    private final Verdict verdict;
    private final Map<String, Long> forced = new HashMap<>();

    ForcedBytesStay(Cluster cluster, Verdict verdict) {
        this.machines = cluster.brokers();
        this.verdict = verdict;
    }

    @Override
    public void starting(BrokerMachine machine) {
        long end = machine.log().orElseThrow().endOffset();
        long before = forced.getOrDefault(machine.disk(), 0L);
        if (end < before && (machine.isMaster() || !machine.wasRotten())) {
            verdict.broken(
                    getClass(), machine.name() + " had forced bytes up to " + before + ", and starts with " + end);
        }
    }

    @Override
    public void eventOver() {
        for (BrokerMachine machine : machines) {
            CommitLog log = machine.log().orElse(null);
            if (log != null) {
                long stays =
                        machine.isMaster() ? log.syncedOffset() : Math.min(log.syncedOffset(), log.confirmOffset());
                forced.put(machine.disk(), stays);
            }
        }
    }
}
