package dev.perigee.sim.cluster;

import java.util.Comparator;
import java.util.PriorityQueue;

/** What is going to happen at which time, in the middle of an instant where that is wanted. */
public final class Timetable {
    /** Something that happens to the cluster. */
    @FunctionalInterface
    public interface Action {
        /** Lets it happen. */
        void run() throws Exception;
    }

    private record Entry(long dueMs, long number, int steps, Action action) {}

    private final TurnedClock clock;
    private final PriorityQueue<Entry> entries =
            new PriorityQueue<>(Comparator.comparingLong(Entry::dueMs).thenComparingLong(Entry::number));
    private long planned;
    private int steps;

    Timetable(TurnedClock clock) {
        this.clock = clock;
    }

    /**
     * Plans something.
     *
     * @param atMs milliseconds since the cluster began
     * @param steps how many steps of that instant come before it, if there are so many
     */
    public void plan(long atMs, int steps, Action action) {
        entries.add(new Entry(atMs, planned++, steps, action));
    }

    /** Nothing is going to happen any more. */
    public void clear() {
        entries.clear();
    }

    /** A new instant begins. */
    void begin() {
        steps = 0;
    }

    /** One step was made, or none is left: lets happen what is due then. True when something was. */
    boolean run(boolean isLast) {
        steps++;
        Entry next = entries.peek();
        if (next == null || next.dueMs > clock.sinceStartMs() || (!isLast && next.steps > steps)) {
            return false;
        }
        entries.remove();
        try {
            next.action.run();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("what was planned for " + next.dueMs + " ms fails", e);
        }
        return true;
    }

    /** When something is to happen, in monotonic milliseconds. */
    long nextDeadlineMs() {
        Entry next = entries.peek();
        return next == null ? Long.MAX_VALUE : clock.monotonicMs() - clock.sinceStartMs() + next.dueMs;
    }
}
