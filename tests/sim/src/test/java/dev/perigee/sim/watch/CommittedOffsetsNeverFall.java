package dev.perigee.sim.watch;

import dev.perigee.sim.ledger.Verdict;
import java.util.HashMap;
import java.util.Map;

/** Where a group stands, as the broker answers whoever asks, never goes back, while nobody sets it. */
public final class CommittedOffsetsNeverFall {
    private final Verdict verdict;
    private final Map<String, Long> highest = new HashMap<>();

    public CommittedOffsetsNeverFall(Verdict verdict) {
        this.verdict = verdict;
    }

    /** A broker has answered. */
    public void read(String group, String queue, long offset) {
        String place = group + " " + queue;
        Long before = highest.put(place, offset);
        if (before != null && offset < before) {
            verdict.broken(getClass(), place + " was " + before + " and is " + offset);
        }
    }

    /** A broker has answered that may be behind another one: nobody may fall below that from now on. */
    public void readBehind(String group, String queue, long offset) {
        highest.merge(group + " " + queue, offset, Math::max);
    }
}
