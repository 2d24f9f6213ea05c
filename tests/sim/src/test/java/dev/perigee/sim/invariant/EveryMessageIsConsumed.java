package dev.perigee.sim.invariant;

import dev.perigee.sim.ledger.Group;
import dev.perigee.sim.ledger.Invariant;
import dev.perigee.sim.ledger.Ledger;
import dev.perigee.sim.ledger.Remains;
import dev.perigee.sim.ledger.Verdict;
import java.util.ArrayList;
import java.util.List;

/**
 * In every group whose members share the queues, each acknowledged message was finished by some member or lies among the
 * dead letters, and none lies there that had not failed as often as the group allows.
 */
public final class EveryMessageIsConsumed implements Invariant {
    private final Ledger ledger;
    private final Verdict verdict;

    public EveryMessageIsConsumed(Ledger ledger, Verdict verdict) {
        this.ledger = ledger;
        this.verdict = verdict;
    }

    @Override
    public void over(Remains remains) {
        remains.deadLetters().forEach(this::check);
    }

    private void check(Group group, List<String> deadLetters) {
        List<String> missing = new ArrayList<>();
        for (String body : ledger.acknowledgedBodies()) {
            if (!ledger.isFinished(group, body) && !deadLetters.contains(body)) {
                missing.add(body);
            }
        }
        if (!missing.isEmpty()) {
            verdict.broken(getClass(), "neither finished nor set aside in " + group + ": " + missing);
        }
        for (String body : deadLetters) {
            if (!ledger.isExhausted(group, body)) {
                verdict.broken(
                        getClass(),
                        body + " set aside in " + group + " after " + ledger.failures(group, body)
                                + " failures, allowed " + group.maxRetries() + " retries");
            }
        }
    }
}
