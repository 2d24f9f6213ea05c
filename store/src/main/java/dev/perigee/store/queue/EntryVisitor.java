package dev.perigee.store.queue;

/** Looks at the entries of a consume queue, one by one in queue order. */
@FunctionalInterface
public interface EntryVisitor {
    /**
     * Called for each entry; gaps are passed over in silence.
     *
     * @param queueOffset the entry's place in its queue
     * @param physicalOffset where the frame starts in the log
     * @param sizeBytes the size of the frame
     * @param tagHash the hash of the message's tag, 0 without one
     * @return whether to go on; false ends the read after this entry
     */
    boolean visit(long queueOffset, long physicalOffset, int sizeBytes, long tagHash);
}
