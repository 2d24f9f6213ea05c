package dev.perigee.sim.invariant;

import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.sim.ledger.Call;
import dev.perigee.sim.ledger.Group;
import dev.perigee.sim.ledger.Invariant;
import dev.perigee.sim.ledger.Ledger;
import dev.perigee.sim.ledger.Seen;
import dev.perigee.sim.ledger.Verdict;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * In an orderly group a message is finished for the first time only when all before it in its queue are finished or were
 * tried as often as the group allows.
 */
public final class QueuesRunInOrder implements Invariant {
    private record Place(Group group, MessageQueue queue) {}

    private final Ledger ledger;
    private final Verdict verdict;
    /** Everything given to any member, by offset. */
    private final Map<Place, NavigableMap<Long, String>> given = new HashMap<>();

    private final Map<Place, Long> lastFinished = new HashMap<>();

    public QueuesRunInOrder(Ledger ledger, Verdict verdict) {
        this.ledger = ledger;
        this.verdict = verdict;
    }

    @Override
    public void begun(Call call) {
        if (call.group().isOrderly()) {
            Place place = new Place(call.group(), call.queue());
            NavigableMap<Long, String> queue = given.computeIfAbsent(place, ignored -> new TreeMap<>());
            call.messages().forEach(seen -> queue.put(seen.offset(), seen.body()));
        }
    }

    @Override
    public void ended(Call call) {
        if (call.group().isOrderly()) {
            call.finished().forEach(seen -> finished(new Place(call.group(), call.queue()), seen, call));
        }
    }

    private void finished(Place place, Seen seen, Call call) {
        if (seen.offset() <= lastFinished.getOrDefault(place, -1L)) {
            return; // again
        }
        lastFinished.put(place, seen.offset());
        NavigableMap<Long, String> before = new TreeMap<>(below(given.get(place), seen.offset()));
        before.putAll(below(ledger.acknowledged().get(place.queue), seen.offset()));
        before.forEach((offset, body) -> {
            if (!isOver(place.group, body)) {
                verdict.broken(getClass(), call + " finished before " + body + "@" + offset);
            }
        });
    }

    @Override
    public void acknowledged(String body, MessageQueue queue, long offset) {
        lastFinished.forEach((place, last) -> {
            if (place.queue.equals(queue) && offset < last && !isOver(place.group, body)) {
                verdict.broken(
                        getClass(), body + "@" + offset + " passed over by " + place + ", which finished " + last);
            }
        });
    }

    private static Map<Long, String> below(@Nullable NavigableMap<Long, String> messages, long offset) {
        return messages == null ? Map.of() : messages.headMap(offset, false);
    }

    private boolean isOver(Group group, String body) {
        return ledger.isFinished(group, body) || ledger.isExhausted(group, body);
    }
}
