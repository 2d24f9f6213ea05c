package dev.perigee.raft.sim;

import java.util.EnumMap;
import java.util.Map;

/** Runs of many seeds, one after the other, and what they come to. */
final class Campaign {
    /** A run that showed something. */
    static final class Found extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Found(long seed, long faultsMs, RuntimeException cause) {
            super("seed " + seed + " with " + faultsMs + " ms of faults: " + cause, cause);
        }
    }

    private final Map<Faults.Event, Integer> events = new EnumMap<>(Faults.Event.class);
    private long seeds;
    private long elections;
    private long acknowledged;
    private long virtualMs;
    private long steps;
    private int losses;
    private long mixed;

    /**
     * Runs them.
     *
     * @throws Found at the first that shows something
     */
    void run(long firstSeed, long count, long faultsMs) {
        for (long seed = firstSeed; seed < firstSeed + count; seed++) {
            try {
                add(new GroupRun(seed, faultsMs).run());
            } catch (RuntimeException e) {
                throw new Found(seed, faultsMs, e);
            }
        }
    }

    private void add(GroupRun.Result result) {
        result.events().forEach((event, count) -> events.merge(event, count, Integer::sum));
        seeds++;
        elections += result.elections();
        acknowledged += result.acknowledged();
        virtualMs += result.virtualMs();
        steps += result.steps();
        losses += result.loss() ? 1 : 0;
        mixed += result.isMixed() ? 1 : 0;
    }

    /** How often each thing went wrong. */
    Map<Faults.Event, Integer> events() {
        return events;
    }

    /** How many seeds had something of every kind go wrong. */
    long mixed() {
        return mixed;
    }

    long elections() {
        return elections;
    }

    long acknowledged() {
        return acknowledged;
    }

    /** One line. */
    @Override
    public String toString() {
        return "seeds=" + seeds + " mixed=" + mixed + " virtualSeconds=" + virtualMs / 1_000 + " steps=" + steps
                + " elections=" + elections + " acknowledged=" + acknowledged + " seedsWithPossibleLoss=" + losses + " "
                + events;
    }
}
