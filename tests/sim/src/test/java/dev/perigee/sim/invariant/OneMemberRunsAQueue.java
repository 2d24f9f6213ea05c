package dev.perigee.sim.invariant;

import dev.perigee.sim.ledger.Call;
import dev.perigee.sim.ledger.Invariant;
import dev.perigee.sim.ledger.Ledger;
import dev.perigee.sim.ledger.Verdict;

/**
 * In an orderly group no two calls run for one queue at once. It does not hold across an end of the broker, which forgets
 * all locks (see {@code QueueLocks}), for members that believed in theirs then.
 */
public final class OneMemberRunsAQueue implements Invariant {
    /** How long a member believes in its lock. */
    private static final long BELIEF_MS = 30_000;

    private final Ledger ledger;
    private final Verdict verdict;
    private long brokerEndedMs = -BELIEF_MS;

    public OneMemberRunsAQueue(Ledger ledger, Verdict verdict) {
        this.ledger = ledger;
        this.verdict = verdict;
    }

    @Override
    public void brokerEnded() {
        brokerEndedMs = ledger.nowMs();
    }

    @Override
    public void begun(Call call) {
        if (!call.group().isOrderly()) {
            return;
        }
        for (Call other : ledger.running(call.group())) {
            boolean isSame = other.queue().equals(call.queue()) && other != call;
            boolean isExcused = other.begunMs() < brokerEndedMs + BELIEF_MS
                    && !other.member().equals(call.member());
            if (isSame && !isExcused) {
                verdict.broken(getClass(), call + " begins while " + other + " runs since " + other.begunMs());
            }
        }
    }
}
