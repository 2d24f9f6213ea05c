package dev.perigee.sim.watch;

import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.cluster.TurnedClock;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.store.view.LogEntry;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/** No waiting message is delivered before its time, by the one clock nobody sets. */
public final class TimersAreNeverEarly implements LogInvariant {
    private final Verdict verdict;
    private final TurnedClock clock;
    private final ToLongFunction<String> dueMs;
    private final Predicate<String> mayBeEarly;

    /**
     * An invariant over messages whose sender knows when they are due.
     *
     * @param dueMs when the message of that body is due, by the cluster's clock; 0 for at once
     * @param mayBeEarly brokers, by the name of the master, whose clock was set before they could write that down
     */
    public TimersAreNeverEarly(
            Verdict verdict, TurnedClock clock, ToLongFunction<String> dueMs, Predicate<String> mayBeEarly) {
        this.verdict = verdict;
        this.clock = clock;
        this.dueMs = dueMs;
        this.mayBeEarly = mayBeEarly;
    }

    @Override
    public void confirmed(BrokerMachine machine, LogEntry entry) {
        if (entry.isFact()
                || SystemTopic.isWaiting(entry.topic())
                || entry.property(PropertyKey.TIMER_MARK) == null
                || mayBeEarly.test(machine.brokerName())) {
            return;
        }
        String body = StandardCharsets.UTF_8.decode(entry.frame().body()).toString();
        long earlyMs = dueMs.applyAsLong(body) - clock.wallMs();
        if (earlyMs > 0) {
            verdict.broken(getClass(), machine.name() + " delivers " + body + " " + earlyMs + " ms too early");
        }
    }
}
