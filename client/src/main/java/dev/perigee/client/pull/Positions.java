package dev.perigee.client.pull;

import dev.perigee.client.error.Completion;
import dev.perigee.client.position.OffsetStore;
import dev.perigee.client.queue.Start;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.MessageQueue;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * How far each queue was consumed, and how far that was committed. With automatic commits everything consumed is committed
 * by and by, and when a queue is lost; with commits by the user nothing is that the user did not commit.
 */
@OwnedBy("client loop")
final class Positions {
    /** Who decides when a position is committed. */
    enum Commits {
        AUTOMATIC,
        BY_USER
    }

    private static final class Position {
        private long consumed;
        private long committed;
        /** Which commit that was: an earlier one may be told later. */
        private long commitNumber;

        Position(long consumed, long committed) {
            this.consumed = consumed;
            this.committed = committed;
        }
    }

    private final OffsetStore offsets;
    private final ClientLoop loop;
    private final Commits commits;
    private final Map<MessageQueue, Position> positions = new HashMap<>();
    private long commitsBegun;

    Positions(OffsetStore offsets, ClientLoop loop, Commits commits) {
        this.offsets = offsets;
        this.loop = loop;
        this.commits = commits;
    }

    /** A queue is read from now on. */
    void begun(MessageQueue queue, Start start) {
        boolean isStored = start.origin() == Start.Origin.STORED;
        positions.put(queue, new Position(start.offset(), isStored ? start.offset() : OffsetStore.NOT_STORED));
        remember(queue, start.offset());
    }

    /** Everything below the offset was consumed, or the user moved the queue there. */
    void reached(MessageQueue queue, long offset) {
        Position position = positions.get(queue);
        if (position != null) {
            position.consumed = offset;
            remember(queue, offset);
        }
    }

    private void remember(MessageQueue queue, long offset) {
        if (commits == Commits.AUTOMATIC) {
            offsets.update(queue, offset);
        }
    }

    /** Commits what was consumed, as automatic commits do; a failure is logged and tried again. Completed in any case. */
    CompletableFuture<Void> persist() {
        return commits == Commits.AUTOMATIC
                ? offsets.persist(List.copyOf(positions.keySet()))
                : CompletableFuture.completedFuture(null);
    }

    /** Commits everything consumed that is not committed. Fails with the first failure. */
    CompletableFuture<Void> commitConsumed() {
        Map<MessageQueue, Long> open = new HashMap<>();
        positions.forEach((queue, position) -> {
            if (position.consumed != position.committed) {
                open.put(queue, position.consumed);
            }
        });
        return commit(open);
    }

    /** Commits exactly these positions, of queues that are read. Fails with the first failure; what succeeded stays. */
    CompletableFuture<Void> commit(Map<MessageQueue, Long> wanted) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        long number = ++commitsBegun;
        Completion.on(
                offsets.commit(wanted),
                (ignored, failure) -> loop.execute(() -> {
                    if (failure == null) {
                        wanted.forEach((queue, offset) -> committed(queue, offset, number));
                        done.complete(null);
                    } else {
                        done.completeExceptionally(failure);
                    }
                }));
        return done;
    }

    private void committed(MessageQueue queue, long offset, long number) {
        Position position = positions.get(queue);
        if (position != null && number > position.commitNumber) {
            position.committed = offset;
            position.commitNumber = number;
        }
    }

    /**
     * Makes the start of a queue last that nobody had stored, so that the next owner starts there too. Never fails: what could
     * not be committed is committed with what is consumed.
     */
    CompletableFuture<Void> commitStart(MessageQueue queue) {
        Position position = positions.get(queue);
        if (position == null || position.committed != OffsetStore.NOT_STORED) {
            return CompletableFuture.completedFuture(null);
        }
        return commit(Map.of(queue, position.consumed)).exceptionally(failure -> null);
    }

    /** A queue is not read any more: commits its position where that happens by itself. */
    void lost(MessageQueue queue) {
        if (positions.remove(queue) == null) {
            return;
        }
        CompletableFuture<Void> last = commits == Commits.AUTOMATIC
                ? offsets.persist(List.of(queue))
                : CompletableFuture.completedFuture(null);
        Completion.on(
                last,
                (ignored, failure) -> loop.execute(() -> {
                    if (!positions.containsKey(queue)) {
                        offsets.forget(queue);
                    }
                }));
    }
}
