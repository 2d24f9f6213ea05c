package dev.perigee.sim.watch;

import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.store.view.LogEntry;
import java.util.HashMap;
import java.util.Map;

/** Brokers of one name that have confirmed an offset have the same bytes there, whichever was first. */
final class ReplicasAgreeBelowConfirm implements LogInvariant {
    private final Verdict verdict;
    private final Map<String, FrameSums> names = new HashMap<>();

    ReplicasAgreeBelowConfirm(Verdict verdict) {
        this.verdict = verdict;
    }

    @Override
    public void confirmed(BrokerMachine machine, LogEntry entry) {
        if (!names.computeIfAbsent(machine.brokerName(), name -> new FrameSums())
                .isSame(entry)) {
            verdict.broken(
                    getClass(),
                    machine.name() + " has confirmed at " + entry.offset() + " what another replica has otherwise");
        }
    }
}
