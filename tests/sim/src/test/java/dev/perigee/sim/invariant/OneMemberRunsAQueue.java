package dev.perigee.sim.invariant;

import dev.perigee.sim.ledger.Call;
import dev.perigee.sim.ledger.Invariant;
import dev.perigee.sim.ledger.Ledger;
import dev.perigee.sim.ledger.Verdict;

/** In an orderly group no two calls run for one queue at once, whatever becomes of the broker. */
public final class OneMemberRunsAQueue implements Invariant {
    private final Ledger ledger;
    private final Verdict verdict;

    public OneMemberRunsAQueue(Ledger ledger, Verdict verdict) {
        this.ledger = ledger;
        this.verdict = verdict;
    }

    @Override
    public void begun(Call call) {
        if (!call.group().isOrderly()) {
            return;
        }
        for (Call other : ledger.running(call.group())) {
            if (other.queue().equals(call.queue()) && other != call) {
                verdict.broken(getClass(), call + " begins while " + other + " runs since " + other.begunMs());
            }
        }
    }
}
