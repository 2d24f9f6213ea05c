package dev.perigee.sim.watch;

import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.ledger.Verdict;
import java.util.HashMap;
import java.util.Map;

/**
 * The confirm offset of a log never falls, also not when its broker starts again; that of a slave, and of a master that waits for slaves, while
 * it runs: what is confirmed there is for others to say, and kept now and then.
 */
final class ConfirmOffsetNeverFalls implements LogInvariant {
    private final Verdict verdict;
    private final Map<String, Long> highest = new HashMap<>();

    ConfirmOffsetNeverFalls(Verdict verdict) {
        this.verdict = verdict;
    }

    @Override
    public void starting(BrokerMachine machine) {
        if (!machine.confirmsAlone()) {
            highest.remove(machine.memory());
        }
    }

    @Override
    public void confirmOffset(BrokerMachine machine, long offset) {
        Long before = highest.put(machine.memory(), offset);
        if (before != null && offset < before) {
            verdict.broken(getClass(), machine.name() + " had confirmed " + before + ", and confirms " + offset);
        }
    }
}
