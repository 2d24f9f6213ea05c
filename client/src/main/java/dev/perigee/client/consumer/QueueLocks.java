package dev.perigee.client.consumer;

import dev.perigee.loop.Immutable;
import dev.perigee.loop.InOrder;
import dev.perigee.protocol.message.MessageQueue;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The right to consume queues in order. Called on the client loop, except where said otherwise. */
interface QueueLocks {
    /** Time between two renewals. */
    long RENEW_MS = 20_000;

    /** Locks or renews these queues, and gives those now held. Never fails; a broker that does not answer gives none. */
    CompletableFuture<Set<MessageQueue>> lock(Collection<MessageQueue> queues);

    /** Gives locks back, so that the next member can have them. Never fails; done when the brokers have answered. */
    CompletableFuture<Void> unlock(Collection<MessageQueue> queues);

    /** Whether the lock is held and was confirmed lately enough. Any thread. */
    boolean isHeld(MessageQueue queue);

    /** When the lock was last confirmed, wall milliseconds; 0 for never. */
    long lockedAtMs(MessageQueue queue);

    /** The queues whose locks may be held. */
    Set<MessageQueue> known();

    /** What a broadcasting consumer has: it shares its queues with nobody, so they are always its own. */
    @Immutable
    final class Unshared implements QueueLocks {
        @Override
        public CompletableFuture<Set<MessageQueue>> lock(Collection<MessageQueue> queues) {
            return CompletableFuture.completedFuture(InOrder.copyOf(queues));
        }

        @Override
        public CompletableFuture<Void> unlock(Collection<MessageQueue> queues) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public boolean isHeld(MessageQueue queue) {
            return true;
        }

        @Override
        public long lockedAtMs(MessageQueue queue) {
            return 0;
        }

        @Override
        public Set<MessageQueue> known() {
            return Set.of();
        }
    }
}
