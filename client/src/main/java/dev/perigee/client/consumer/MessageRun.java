package dev.perigee.client.consumer;

import dev.perigee.client.queue.ProcessQueue;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.loop.ThreadSafe;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Messages that came together, given to listener calls from the first to the last. */
@ThreadSafe
final class MessageRun {
    private final QueuePuller from;
    private final int generation;
    private final List<ProcessQueue.Slot> slots;
    private final AtomicInteger taken = new AtomicInteger();

    /** Made on the client loop. */
    MessageRun(QueuePuller from, List<ProcessQueue.Slot> slots) {
        this.from = from;
        this.generation = from.generation();
        this.slots = slots;
    }

    QueuePuller from() {
        return from;
    }

    ProcessQueue.Slot slot(int index) {
        return slots.get(index);
    }

    int size() {
        return slots.size();
    }

    /** Whether the queue is still consumed here and was not moved since. */
    boolean isWanted() {
        return !from.isDropped() && from.generation() == generation;
    }

    /** Takes so many messages for one call, or what is left: gives the index of the first, or one past the last for none. */
    int take(int messages) {
        return Math.min(slots.size(), taken.getAndAdd(messages));
    }

    /** How many messages no call has taken. */
    int left() {
        return Math.max(0, slots.size() - taken.get());
    }
}
