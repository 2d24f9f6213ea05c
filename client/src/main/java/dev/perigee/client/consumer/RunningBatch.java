package dev.perigee.client.consumer;

import dev.perigee.client.queue.ProcessQueue;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.loop.ThreadSafe;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Messages for one call of a concurrent listener. */
@ThreadSafe
final class RunningBatch {
    private static final long NOT_BEGUN = Long.MIN_VALUE;

    private final QueuePuller from;
    private final List<ProcessQueue.Slot> slots;
    private final int generation;
    /** The rest is the client loop's. */
    private final Set<ProcessQueue.Slot> returning = new HashSet<>();

    private boolean isVoid;
    private volatile long begunMs = NOT_BEGUN;

    /** Made on the client loop. */
    RunningBatch(QueuePuller from, List<ProcessQueue.Slot> slots) {
        this.from = from;
        this.slots = slots;
        this.generation = from.generation();
    }

    QueuePuller from() {
        return from;
    }

    List<ProcessQueue.Slot> slots() {
        return slots;
    }

    /** Whether the queue is still consumed here and was not moved since. Any thread. */
    boolean isWanted() {
        return !from.isDropped() && from.generation() == generation;
    }

    /** The listener is about to be called. Any thread. */
    void begin(long nowMs) {
        this.begunMs = nowMs;
    }

    /** Any thread. */
    boolean hasBegun() {
        return begunMs != NOT_BEGUN;
    }

    /** How long the call has taken so far. */
    long runningMs(long nowMs) {
        return nowMs - begunMs;
    }

    /** The call took too long: what it says in the end does not count. */
    void makeVoid() {
        this.isVoid = true;
    }

    boolean isVoid() {
        return isVoid;
    }

    /** Messages that are neither finished nor on their way back. */
    List<ProcessQueue.Slot> remaining() {
        return slots.stream()
                .filter(slot -> !slot.isFinished() && from.holds(slot) && !returning.contains(slot))
                .toList();
    }

    /** Whether there is nothing left to give back. */
    boolean isSettled() {
        return slots.stream().allMatch(slot -> slot.isFinished() || !from.holds(slot));
    }

    /** A message is on its way back to the broker. */
    void returning(ProcessQueue.Slot slot) {
        returning.add(slot);
    }

    /** The broker did not take it. */
    void returned(ProcessQueue.Slot slot) {
        returning.remove(slot);
    }
}
