package dev.perigee.broker.fact;

/** How far the log is confirmed and how far the views have come. May be called from any thread. */
public interface AppliedLog {
    /** The byte after the confirmed prefix of the log. */
    long confirmOffset();

    /** The byte after the last entry that every view has applied. */
    long appliedOffset();

    /**
     * Runs the task when every view has applied everything below the offset; on the view loop, or at once.
     *
     * @return false, and the task never runs, when too many tasks wait
     */
    boolean whenApplied(long offset, Runnable task);
}
