package dev.perigee.sim.fault;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds a short list of events that still makes a run fail, by leaving parts out and running again: halves first, then smaller
 * parts, then single events. It stops when no single event can be left out, or after so many runs.
 */
public final class Shrinker {
    /** A run. */
    @FunctionalInterface
    public interface Run {
        /** Whether it fails. */
        boolean fails(FaultPlan plan) throws Exception;
    }

    private final Run run;
    private final int maxRuns;
    private int runs;

    /** @param maxRuns the shortest list found after so many runs is good enough */
    public Shrinker(Run run, int maxRuns) {
        this.run = run;
        this.maxRuns = maxRuns;
    }

    /** How many runs it took. */
    public int runs() {
        return runs;
    }

    /** The shortest part of a plan that was found to fail; the plan itself when each event is needed. */
    public FaultPlan shrink(FaultPlan failing) throws Exception {
        List<FaultEvent> events = failing.events();
        int parts = 2;
        while (!events.isEmpty() && runs < maxRuns) {
            int before = events.size();
            events = withoutOnePart(events, parts);
            if (events.size() < before) {
                parts = Math.max(2, parts - 1);
            } else if (parts >= before) {
                break;
            } else {
                parts = Math.min(before, 2 * parts);
            }
        }
        return new FaultPlan(events);
    }

    /** The events without the first part of so many that can be left out; all of them when none can. */
    private List<FaultEvent> withoutOnePart(List<FaultEvent> events, int parts) throws Exception {
        int size = events.size();
        int pieces = Math.min(parts, size);
        for (int part = 0; part < pieces && runs < maxRuns; part++) {
            List<FaultEvent> rest = new ArrayList<>(events.subList(0, part * size / pieces));
            rest.addAll(events.subList((part + 1) * size / pieces, size));
            runs++;
            if (run.fails(new FaultPlan(rest))) {
                return rest;
            }
        }
        return events;
    }
}
