package dev.perigee.client.consumer;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.MessageQueue;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** What a broadcasting consumer has: it shares its queues with nobody, so they are always its own. */
@Immutable
final class NoLocks implements QueueLocks {
    @Override
    public CompletableFuture<Set<MessageQueue>> lock(Collection<MessageQueue> queues) {
        return CompletableFuture.completedFuture(Set.copyOf(queues));
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
