package dev.perigee.store.tail;

/** Where the queues stand that the log speaks of; what the consume-queue view hands to the log's writer at start. */
public interface QueueLevels {
    /** Takes one queue's next offset. */
    @FunctionalInterface
    interface Visitor {
        /** The offset the next message of this queue gets. */
        void queueEnd(String topic, int queueId, long nextOffset);
    }

    /** Shows the next offset of every queue. */
    void forEachEnd(Visitor visitor);

    /** Where queues begin that are not shown. */
    QueueStarts starts();
}
