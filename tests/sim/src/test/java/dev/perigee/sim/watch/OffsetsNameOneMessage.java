package dev.perigee.sim.watch;

import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.store.view.LogEntry;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * An offset of a queue that was confirmed on any broker of a name names one message for ever (R23): also when that message was lost, for a
 * consumer may have seen it.
 */
final class OffsetsNameOneMessage implements LogInvariant {
    private record Place(String brokerName, String topic, int queueId, long offset) {}

    private final Verdict verdict;
    private final Map<Place, String> bodies = new HashMap<>();

    OffsetsNameOneMessage(Verdict verdict) {
        this.verdict = verdict;
    }

    @Override
    public void confirmed(BrokerMachine machine, LogEntry entry) {
        if (entry.isFact()) {
            return;
        }
        Place place = new Place(machine.brokerName(), entry.topic(), entry.queueId(), entry.queueOffset());
        String body = StandardCharsets.UTF_8.decode(entry.frame().body()).toString();
        String before = bodies.putIfAbsent(place, body);
        if (before != null && !before.equals(body)) {
            verdict.broken(
                    getClass(),
                    machine.name() + " has confirmed " + body + " at " + entry.offset() + " as " + place
                            + ", which was " + before);
        }
    }
}
