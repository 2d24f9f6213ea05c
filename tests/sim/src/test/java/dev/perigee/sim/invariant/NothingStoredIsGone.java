package dev.perigee.sim.invariant;

import dev.perigee.sim.ledger.Invariant;
import dev.perigee.sim.ledger.Ledger;
import dev.perigee.sim.ledger.Remains;
import dev.perigee.sim.ledger.Verdict;
import java.util.Collections;
import java.util.SortedMap;

/** Whatever befell the broker, each acknowledged message is read from the place that was acknowledged. */
public final class NothingStoredIsGone implements Invariant {
    private final Ledger ledger;
    private final Verdict verdict;

    public NothingStoredIsGone(Ledger ledger, Verdict verdict) {
        this.ledger = ledger;
        this.verdict = verdict;
    }

    @Override
    public void read(Remains remains) {
        ledger.acknowledged().forEach((queue, messages) -> {
            SortedMap<Long, String> there = remains.messages().getOrDefault(queue, Collections.emptySortedMap());
            messages.forEach((offset, body) -> {
                if (!body.equals(there.get(offset))) {
                    verdict.broken(getClass(), queue + " " + offset + " held " + body + ", now " + there.get(offset));
                }
            });
        });
    }

    @Override
    public void over(Remains remains) {
        read(remains);
    }
}
