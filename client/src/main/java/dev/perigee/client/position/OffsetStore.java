package dev.perigee.client.position;

import dev.perigee.protocol.message.MessageQueue;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Where a group's positions live: at the broker when the members share the queues, in a local file when everyone consumes
 * everything. Updates go to memory; {@link #persist} makes them last. Thread-safe.
 */
public interface OffsetStore extends AutoCloseable {
    /** What {@link #read} gives when nothing was stored. */
    long NOT_STORED = -1;

    /** Makes ready for reading. Called once, first. Fails when somebody else uses the store, naming it. */
    CompletableFuture<Void> open();

    /** The stored offset, or {@link #NOT_STORED}. Fails when it cannot be known, and then consuming must not start. */
    CompletableFuture<Long> read(MessageQueue queue);

    /**
     * Whether nothing is stored of the queue although positions of its broker's other queues of the topic were when this
     * store was opened: it was made meanwhile, and is to be read from its beginning.
     */
    default boolean isYoungerThanStored(MessageQueue queue) {
        return false;
    }

    /** Remembers the next offset to consume. A smaller one than before is taken too: that is a seek. */
    void update(MessageQueue queue, long offset);

    /** The offset in memory, or {@link #NOT_STORED}. */
    long inMemory(MessageQueue queue);

    /**
     * Makes the offsets in memory of these queues last. The future is completed when that is done or has failed; a failure
     * is logged, and the next call tries again.
     */
    CompletableFuture<Void> persist(Collection<MessageQueue> queues);

    /**
     * Makes these offsets last and remembers them. Fails with the first failure, for instance a {@link
     * dev.perigee.client.error.RefusedException}, after all have been tried; what succeeded stays.
     */
    CompletableFuture<Void> commit(Map<MessageQueue, Long> offsets);

    /** Forgets a queue that is consumed by somebody else now; what was persisted stays. */
    void forget(MessageQueue queue);

    /** Makes what is in memory last where that needs no broker, and lets go what {@link #open} took. Idempotent; blocks. */
    @Override
    void close();
}
