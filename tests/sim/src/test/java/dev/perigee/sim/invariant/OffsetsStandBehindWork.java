package dev.perigee.sim.invariant;

import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.sim.ledger.Group;
import dev.perigee.sim.ledger.Invariant;
import dev.perigee.sim.ledger.Ledger;
import dev.perigee.sim.ledger.Verdict;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * A group's position that the broker answered never goes back, unless a tool set it, and is never beyond a message that no
 * member has finished, given back, or lost to the consume timeout.
 */
public final class OffsetsStandBehindWork implements Invariant {
    private record Place(Group group, MessageQueue queue) {}

    private final Ledger ledger;
    private final Verdict verdict;
    private final Map<Place, Long> last = new HashMap<>();

    public OffsetsStandBehindWork(Ledger ledger, Verdict verdict) {
        this.ledger = ledger;
        this.verdict = verdict;
    }

    @Override
    public void offsetReset(Group group, MessageQueue queue, long offset) {
        last.put(new Place(group, queue), offset);
    }

    @Override
    public void offsetRead(Group group, MessageQueue queue, long offset) {
        Long before = last.put(new Place(group, queue), offset);
        if (before != null && offset < before) {
            verdict.broken(getClass(), group + " " + queue + " went back from " + before + " to " + offset);
        }
        ledger.acknowledged()
                .getOrDefault(queue, new TreeMap<>())
                .headMap(offset)
                .forEach((below, body) -> {
                    boolean isTried =
                            group.isOrderly() ? ledger.isExhausted(group, body) : ledger.failures(group, body) > 0;
                    if (!ledger.isFinished(group, body) && !isTried) {
                        verdict.broken(
                                getClass(), group + " " + queue + " is at " + offset + ", past " + body + "@" + below);
                    }
                });
    }
}
