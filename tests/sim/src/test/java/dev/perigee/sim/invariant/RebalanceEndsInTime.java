package dev.perigee.sim.invariant;

import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.sim.ledger.Call;
import dev.perigee.sim.ledger.Group;
import dev.perigee.sim.ledger.Invariant;
import dev.perigee.sim.ledger.Ledger;
import dev.perigee.sim.ledger.Look;
import dev.perigee.sim.ledger.Verdict;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The members of a group share out its queues, each queue to one of them, within a second after a change of members, as
 * long as the network is sound; and otherwise when it has been sound again for long enough. A queue of an orderly group may
 * be without an owner while a call of the last one runs, while the lock of a member that vanished lives, and as long after a
 * start of the broker, because a lock may be held since before.
 */
public final class RebalanceEndsInTime implements Invariant {
    static final long LIMIT_MS = 1_000;
    /** A notice that was lost is made up for by the next round, which comes every 20 s, or the one after. */
    static final long AFTER_FAULT_MS = 41_000;
    /** An unlock that was lost is made up for by the end of the lock. */
    static final long AFTER_FAULT_ORDERLY_MS = 82_000;
    /** Life of a lock without renewal, and the second in which the broker looks for those that ended. */
    static final long LOCK_MS = 61_000;

    private final Ledger ledger;
    private final Verdict verdict;
    private final Collection<MessageQueue> queues;
    private final Map<Group, State> states = new HashMap<>();
    private long brokerStartedMs = -LOCK_MS;
    private int checks;

    private static final class State {
        Set<String> listed = Set.of();
        long changedMs;
        long vanishedMs = -LOCK_MS;
        final Map<MessageQueue, Long> callEndedMs = new HashMap<>();
    }

    public RebalanceEndsInTime(Ledger ledger, Verdict verdict, Collection<MessageQueue> queues) {
        this.ledger = ledger;
        this.verdict = verdict;
        this.queues = List.copyOf(queues);
    }

    /** How often sharing was looked at that had to be settled. */
    public int checks() {
        return checks;
    }

    private State of(Group group) {
        return states.computeIfAbsent(group, ignored -> new State());
    }

    @Override
    public void brokerEnded() {
        states.values().forEach(state -> state.changedMs = ledger.nowMs());
    }

    @Override
    public void brokerStarted() {
        brokerStartedMs = ledger.nowMs();
    }

    @Override
    public void ended(Call call) {
        State state = of(call.group());
        state.callEndedMs.put(call.queue(), call.endedMs());
    }

    @Override
    public void vanished(Group group, String member) {
        of(group).vanishedMs = ledger.nowMs();
    }

    @Override
    public void looked(Look look) {
        Sharing sharing = new Sharing(look);
        State state = of(look.group());
        if (!sharing.isKnown() || !look.listed().equals(state.listed)) {
            state.listed = look.listed();
            state.changedMs = look.atMs();
        }
        long soundMs = look.atMs() - look.faultMs();
        boolean isSound = soundMs >= (look.group().isOrderly() ? AFTER_FAULT_ORDERLY_MS : AFTER_FAULT_MS);
        boolean isSettled = isSound && look.atMs() - state.changedMs >= LIMIT_MS;
        if (!isSettled || look.live().isEmpty()) {
            return;
        }
        checks++;
        List<String> faults = sharing.faults(queues, queue -> mayBeUnowned(look, state, queue));
        if (!faults.isEmpty()) {
            verdict.broken(
                    getClass(),
                    look.group() + " at " + look.atMs() + ", unchanged since " + state.changedMs + ": " + faults);
        }
    }

    private boolean mayBeUnowned(Look look, State state, MessageQueue queue) {
        if (!look.group().isOrderly()) {
            return false;
        }
        boolean runs = ledger.running(look.group()).stream()
                .anyMatch(call -> call.queue().equals(queue));
        long endedMs = state.callEndedMs.getOrDefault(queue, -LIMIT_MS);
        long lockLivesMs = Math.max(state.vanishedMs, brokerStartedMs) + LOCK_MS;
        return runs || look.atMs() - endedMs < LIMIT_MS || look.atMs() < lockLivesMs + LIMIT_MS;
    }
}
