package dev.perigee.sim.watch;

import dev.perigee.protocol.fact.TimerClosed;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.store.view.LogEntry;
import java.util.HashMap;
import java.util.Map;

/** The log delivers each waiting message once, or closes it. */
final class EveryTimerFiresOnce implements LogInvariant {
    /** Of the mark of a delivery: when it was due, its birth, where it was read. */
    private static final int DELIVERY_PARTS = 3;

    private static final int BIRTH_AT = 1;

    private final Verdict verdict;
    private final Map<String, Long> firedAt = new HashMap<>();

    EveryTimerFiresOnce(Verdict verdict) {
        this.verdict = verdict;
    }

    @Override
    public void confirmed(BrokerMachine machine, LogEntry entry) {
        if (entry.fact() instanceof TimerClosed closed) {
            closed.entries().forEach(timer -> fire(machine, timer.birth(), entry));
        }
        String mark = entry.isFact() ? null : entry.property(PropertyKey.TIMER_MARK);
        if (mark != null && !SystemTopic.isWaiting(entry.topic())) {
            String[] parts = mark.split(",", 2)[0].split(":", -1);
            if (parts.length != DELIVERY_PARTS) {
                verdict.broken(getClass(), "the frame at " + entry.offset() + " has mark " + mark);
            } else {
                fire(machine, Long.parseLong(parts[BIRTH_AT]), entry);
            }
        }
    }

    private void fire(BrokerMachine machine, long birth, LogEntry entry) {
        Long before = firedAt.putIfAbsent(machine.memory() + " " + birth, entry.offset());
        if (before != null) {
            verdict.broken(
                    getClass(),
                    "the message that waits since " + birth + " on " + machine.name() + " came at " + before
                            + " and at " + entry.offset());
        }
    }
}
