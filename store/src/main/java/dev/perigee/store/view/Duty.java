package dev.perigee.store.view;

/**
 * Initiative of the appending node: looks at views and time and appends facts. Called only on the view loop, and only
 * while this node may append; one that never appends says so by {@link #runsEverywhere}.
 */
public interface Duty {
    /** Does bounded work (at most about 1 ms) and returns how much it did. */
    int doWork(long nowMs);

    /** When it wants to be called again although nothing was applied, monotonic milliseconds. */
    default long nextDeadlineMs() {
        return Long.MAX_VALUE;
    }

    /**
     * Whether it is also called where this node may not append, because it follows another one: it serves those who are
     * connected here, and what it appends is refused there. Always the same.
     */
    default boolean runsEverywhere() {
        return false;
    }
}
