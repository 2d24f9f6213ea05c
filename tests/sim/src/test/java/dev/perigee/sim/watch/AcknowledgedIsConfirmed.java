package dev.perigee.sim.watch;

import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.store.view.LogEntry;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A sender is told of success only when its message is confirmed, at the place it is told: by its master, or by a slave
 * that its master told before both changed their roles.
 */
public final class AcknowledgedIsConfirmed implements LogInvariant {
    private record Place(MessageQueue queue, long offset) {}

    private final Verdict verdict;
    private final Predicate<String> isRead;
    private final Predicate<String> isGone;
    private final Map<Place, String> confirmed = new HashMap<>();
    private final Map<Place, String> acknowledged = new LinkedHashMap<>();

    /**
     * @param isRead whether all that the broker of that name has confirmed was told; not while it is down
     * @param isGone whether the message of that body is lost where that may be: what a master confirms while it stops nobody sees
     */
    public AcknowledgedIsConfirmed(Verdict verdict, Predicate<String> isRead, Predicate<String> isGone) {
        this.verdict = verdict;
        this.isRead = isRead;
        this.isGone = isGone;
    }

    /** A sender was told that its message lies there. */
    public void acknowledged(MessageQueue queue, long offset, String body) {
        acknowledged.put(new Place(queue, offset), body);
    }

    @Override
    public void confirmed(BrokerMachine machine, LogEntry entry) {
        if (entry.isFact()) {
            return;
        }
        Place place =
                new Place(new MessageQueue(entry.topic(), machine.brokerName(), entry.queueId()), entry.queueOffset());
        if (!confirmed.containsKey(place)) {
            String body = StandardCharsets.UTF_8.decode(entry.frame().body()).toString();
            confirmed.put(place, body);
        }
    }

    @Override
    public void eventOver() {
        if (acknowledged.isEmpty()) {
            return;
        }
        acknowledged.entrySet().removeIf(entry -> isChecked(entry.getKey(), entry.getValue()));
    }

    private boolean isChecked(Place place, String body) {
        @Nullable String there = confirmed.get(place);
        if (there == null && !isRead.test(place.queue.brokerName())) {
            return false;
        }
        if (!body.equals(there) && !(there == null && isGone.test(body))) {
            verdict.broken(getClass(), body + " is acknowledged at " + place + ", where " + there + " is confirmed");
        }
        return true;
    }
}
