package dev.perigee.sim.watch;

import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.HalfRef;
import dev.perigee.protocol.fact.HalfRolledBack;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.store.view.LogEntry;
import java.util.HashMap;
import java.util.Map;

/** The log decides about each half message once: one commit, or one rollback, or it is set aside. */
final class EveryHalfIsResolvedOnce implements LogInvariant {
    /** Of the mark of what closes a half: when it would have been asked for, its birth, where it was read, how it ended. */
    private static final int CLOSING_PARTS = 4;

    private static final int BIRTH_AT = 1;

    private final Verdict verdict;
    private final Map<String, Long> resolvedAt = new HashMap<>();

    EveryHalfIsResolvedOnce(Verdict verdict) {
        this.verdict = verdict;
    }

    @Override
    public void confirmed(BrokerMachine machine, LogEntry entry) {
        Fact fact = entry.fact();
        if (fact instanceof HalfRolledBack rolledBack) {
            for (HalfRef half : rolledBack.entries()) {
                resolve(machine, half.birth(), entry);
            }
        }
        String mark = fact == null ? entry.property(PropertyKey.HALF_MARK) : null;
        if (mark != null && !entry.topic().equals(SystemTopic.HALF)) {
            String[] parts = mark.split(":", -1);
            if (parts.length != CLOSING_PARTS) {
                verdict.broken(getClass(), "the frame at " + entry.offset() + " has mark " + mark);
            } else {
                resolve(machine, Long.parseLong(parts[BIRTH_AT]), entry);
            }
        }
    }

    private void resolve(BrokerMachine machine, long birth, LogEntry entry) {
        Long before = resolvedAt.putIfAbsent(machine.memory() + " " + birth, entry.offset());
        if (before != null) {
            verdict.broken(
                    getClass(),
                    "the half " + birth + " of " + machine.name() + " is resolved at " + before + " and at "
                            + entry.offset());
        }
    }
}
