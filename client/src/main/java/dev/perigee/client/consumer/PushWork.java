package dev.perigee.client.consumer;

import dev.perigee.client.queue.ProcessQueue;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** How a kind of listener is fed. All methods are called on the client loop. */
interface PushWork {
    /** Which of these queues may be consumed from now on. Never fails; what cannot be had is left out. */
    CompletableFuture<Set<MessageQueue>> admit(Set<MessageQueue> queues);

    /** Messages came in. */
    void arrived(QueuePuller from, List<ProcessQueue.Slot> slots);

    /** The position of a queue was moved from outside; what was cached is gone. */
    void moved(QueuePuller from);

    /**
     * A queue was given up.
     *
     * @param release to be called once, when no listener call for it is under way: commits, and lets the next owner in
     */
    void dropped(QueuePuller queue, Runnable release);

    /** The listener, called with one message at an administrator's wish; runs on the calling thread. */
    ConsumeResult consumeNow(MessageExt message) throws Exception;

    /** Whether messages are given in order. */
    boolean isOrderly();

    /** When a queue's lock was last confirmed, wall milliseconds; 0 where there are no locks. */
    long lockedAtMs(MessageQueue queue);

    /** Gives up everything that is held at brokers. Called last. */
    CompletableFuture<Void> leave();
}
