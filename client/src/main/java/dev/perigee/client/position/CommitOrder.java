package dev.perigee.client.position;

import dev.perigee.client.error.Completion;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.MessageQueue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which commits of one group may be under way at once.
 *
 * <ul>
 *   <li>One of each queue: a broker with several threads may carry out two in any order, and the older position would stay. What
 *       is asked for meanwhile waits for it, only the newest position, so at most one waits.
 *   <li>One of each topic at each broker until a first one was taken, or has failed, which lets go those that wait: a stock broker (5.5.0) makes the table of a group's
 *       positions in a topic when it gets the first one. When it gets two at once it makes two and keeps one, and the position in
 *       the other one is lost though it was acknowledged.
 * </ul>
 *
 * <p>Which topics have begun at which brokers is kept for the life of the consumer.
 */
@ThreadSafe
final class CommitOrder {
    /** Sends one commit. */
    @FunctionalInterface
    interface Sender {
        /**
         * Completed when the commit was answered or has failed; must not throw.
         *
         * @param offset asked for once, when the commit goes: until then it may still change
         */
        CompletableFuture<Void> send(MessageQueue queue, LongSupplier offset);
    }

    private record Place(String topic, String brokerName) {
        static Place of(MessageQueue queue) {
            return new Place(queue.topic(), queue.brokerName());
        }
    }

    /** A commit; its position may change until it goes. */
    private static final class Turn {
        private final MessageQueue queue;
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private long offset;
        private boolean hasGone;

        Turn(MessageQueue queue, long offset) {
            this.queue = queue;
            this.offset = offset;
        }
    }

    private final Sender sender;
    // all guarded by this
    private final Map<MessageQueue, Turn> underWay = new HashMap<>();
    private final Map<MessageQueue, Turn> waiting = new LinkedHashMap<>();
    private final Map<Place, Turn> first = new HashMap<>();
    private final Set<Place> begun = new HashSet<>();

    CommitOrder(Sender sender) {
        this.sender = sender;
    }

    /**
     * Sends a commit, at once or when its turn comes. Completed with the answer to it, or to the one that went in its place with a
     * position that was asked for later; so in two call timeouts, a first one of a topic in three.
     */
    CompletableFuture<Void> commit(MessageQueue queue, long offset) {
        Turn turn;
        synchronized (this) {
            Turn last = last(queue);
            if (last != null && (!last.hasGone || last.offset == offset)) {
                last.offset = offset;
                return last.done;
            }
            turn = new Turn(queue, offset);
            Place place = Place.of(queue);
            if (underWay.containsKey(queue) || first.containsKey(place)) {
                waiting.put(queue, turn);
                return turn.done;
            }
            underWay.put(queue, turn);
            if (!begun.contains(place)) {
                first.put(place, turn);
            }
        }
        send(turn);
        return turn.done;
    }

    /**
     * Completed, never with a failure, when what is asked for by now of a queue is answered or has failed: a question that went before it
     * would be told of an older position, which what comes behind would leave again.
     */
    CompletableFuture<Void> settled(MessageQueue queue) {
        Turn last;
        synchronized (this) {
            last = last(queue);
        }
        return last == null ? CompletableFuture.completedFuture(null) : last.done.handle((done, failure) -> null);
    }

    private @Nullable Turn last(MessageQueue queue) {
        Turn turn = waiting.get(queue);
        return turn != null ? turn : underWay.get(queue);
    }

    private void send(Turn turn) {
        Completion.on(sender.send(turn.queue, () -> go(turn)), (done, failure) -> {
            ended(turn, failure == null).forEach(this::send);
            if (failure == null) {
                turn.done.complete(null);
            } else {
                turn.done.completeExceptionally(failure);
            }
        });
    }

    private synchronized long go(Turn turn) {
        turn.hasGone = true;
        return turn.offset;
    }

    /** Gives those whose turn it is now. */
    private synchronized List<Turn> ended(Turn turn, boolean wasTaken) {
        underWay.remove(turn.queue);
        Place place = Place.of(turn.queue);
        boolean wasFirst = first.remove(place, turn);
        if (wasFirst && wasTaken) {
            begun.add(place);
        }
        List<Turn> next = new ArrayList<>();
        for (Iterator<Turn> rest = waiting.values().iterator(); rest.hasNext(); ) {
            Turn waits = rest.next();
            boolean waitedForFirst = wasFirst && Place.of(waits.queue).equals(place);
            if (waitedForFirst || waits.queue.equals(turn.queue)) {
                rest.remove();
                underWay.put(waits.queue, waits);
                next.add(waits);
            }
        }
        return next;
    }
}
