package dev.perigee.store.queue;

/** Told which queues grew; the place where parked long polls are woken. Called only on the view loop; must not block. */
@FunctionalInterface
public interface ArrivalListener {
    /**
     * The queue grew in the pass that just ended; called once per queue and pass, after the entries became readable and
     * before the applied offset is announced to {@code whenApplied} waiters.
     *
     * @param queue the queue; its {@link ConsumeQueue#read} shows the new entries with their tag hashes, from memory
     * @param fromOffset queue offset of the first new entry
     * @param toOffset queue offset behind the last new entry (exclusive)
     */
    void arrived(ConsumeQueue queue, long fromOffset, long toOffset);
}
