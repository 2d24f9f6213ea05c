package dev.perigee.loop;

/**
 * A loop that lends itself: while its own thread is parked, another thread that has work for it may do one short pass
 * instead of waking it. Waking a sleeping thread costs more than a short pass, so this is how a lightly loaded node keeps
 * its cost per message low; a busy loop is never parked and so never lent.
 *
 * <p>Contract: the driver lends the loop to one thread at a time and never while its own thread is in it; what one pass
 * wrote the next pass sees. So nothing in the loop needs to know which thread calls.
 */
public interface LendableLoop extends Loop {
    /**
     * Does work of a few microseconds and nothing that may wait: no file that may have to be created, no force, nothing
     * whose amount the caller cannot bound. A part of what {@link #doWork} does, in the same order.
     *
     * @param nowMs monotonic milliseconds
     * @return whether nothing is left to do; false wakes the loop's own thread for the rest
     */
    boolean doShortWork(long nowMs);
}
