package dev.perigee.client.consumer;

import dev.perigee.client.queue.ProcessQueue;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.protocol.message.MessageQueue;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** How a kind of listener is fed. All methods are called on the client loop. */
interface PushWork {
    /** What remains to be done for a queue that was given up. Called once, on the client loop. */
    interface Release {
        /** Commits what is finished, and forgets the queue when that has been answered. Never fails. */
        CompletableFuture<Void> commit();

        /** Forgets the queue without a commit: somebody else may have consumed further already. */
        void forget();
    }

    /** Which of these queues may be consumed from now on. Never fails; what cannot be had is left out. */
    CompletableFuture<Set<MessageQueue>> admit(Set<MessageQueue> queues);

    /** An admitted queue is not taken after all. */
    void abandoned(MessageQueue queue);

    /** Messages came in. */
    void arrived(QueuePuller from, List<ProcessQueue.Slot> slots);

    /** Takes note of all listener calls that have ended; what is asked about positions afterwards counts them. */
    void settle();

    /** The position of a queue was moved from outside; what was cached is gone. */
    void moved(QueuePuller from);

    /** A queue was given up; the release is for when no listener call for it is under way any more. */
    void dropped(QueuePuller queue, Release release);

    /** Whether messages are given in order. */
    boolean isOrderly();

    /** When a queue's lock was last confirmed, wall milliseconds; 0 where there are no locks. */
    long lockedAtMs(MessageQueue queue);

    /** Gives up everything that is held at brokers. Called last. */
    CompletableFuture<Void> leave();
}
