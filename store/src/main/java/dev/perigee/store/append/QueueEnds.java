package dev.perigee.store.append;

/** Knows the next offset of every queue; the consume-queue view at start. */
@FunctionalInterface
public interface QueueEnds {
    /** Takes one queue's next offset. */
    @FunctionalInterface
    interface Visitor {
        void queueEnd(String topic, int queueId, long nextOffset);
    }

    void forEach(Visitor visitor);
}
