package dev.perigee.store.queue;

import dev.perigee.loop.ThreadSafe;

/**
 * The frames of one queue of a topic, in order: queue offset → place in the log. Written by the view loop only; read by
 * any thread without a lock.
 */
@ThreadSafe
@SuppressWarnings("DoNotCallSuggester") // bodies follow
public final class ConsumeQueue {
    ConsumeQueue() {}

    public String topic() {
        throw new UnsupportedOperationException();
    }

    public int queueId() {
        throw new UnsupportedOperationException();
    }

    /** The queue offset of the oldest message still stored; equal to {@link #maxOffset} when there is none. */
    public long minOffset() {
        throw new UnsupportedOperationException();
    }

    /** The queue offset the next message gets (exclusive end of what can be read). */
    public long maxOffset() {
        throw new UnsupportedOperationException();
    }

    /**
     * Shows entries to a visitor, from one queue offset on. From memory near the end, from mapped files further back.
     *
     * @param maxEntries how many to look at
     * @return how many entries were examined, gaps included: the next read begins that much later; 0 when {@code
     *     fromOffset} is not in [minOffset, maxOffset)
     */
    public int read(long fromOffset, int maxEntries, EntryVisitor visitor) {
        throw new UnsupportedOperationException();
    }

    /**
     * Searches by store time. Reads frames from the log, so it belongs on a cold reader.
     *
     * @return LOWER: the first message stored at or after the time, else the maximum offset; UPPER: the last one stored
     *     at or before it, else the minimum offset; 0 for a queue that never held a message
     */
    public long offsetByTime(long timestampMs, Boundary boundary) {
        throw new UnsupportedOperationException();
    }
}
