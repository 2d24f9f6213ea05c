package dev.perigee.loop;

/**
 * One single-threaded piece of a node: it owns its state, and a driver (a thread, or the simulation) calls it.
 *
 * <p>Contract: all methods are called by one thread at a time, always the same one while the loop runs. {@link #doWork}
 * does a bounded amount of work and returns; it must not block.
 */
public interface Loop {
    /** The name of the loop; becomes the name of its thread. */
    String name();

    /**
     * Does a bounded amount of work.
     *
     * @param nowMs monotonic milliseconds
     * @return how many pieces of work were done; 0 lets the driver park the thread
     */
    int doWork(long nowMs);

    /**
     * When this loop wants to be called again although nobody wakes it, in monotonic milliseconds; {@link
     * Long#MAX_VALUE} for never. Asked only after {@link #doWork} returned 0.
     */
    long nextDeadlineMs();

    /** Called once on the loop's thread after the last {@link #doWork}; releases what the loop owns. */
    default void onStop() {}
}
