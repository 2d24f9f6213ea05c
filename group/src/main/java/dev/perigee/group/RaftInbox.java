package dev.perigee.group;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.raft.Effects;
import dev.perigee.raft.RaftMessage;
import dev.perigee.raft.RaftMessage.Held;
import dev.perigee.raft.RaftNode;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What other threads have to tell the Raft node, in order, until the log loop takes it. Of what other nodes say so much waits at most, and
 * more is dropped as if the network had lost it; so many orders of tools wait, and more are refused; what this node's own disk and connections say is few, and always taken. What followers hold
 * goes by a way of its own, for a short pass of the log loop takes that as well: it is what clients wait for.
 */
@ThreadSafe
final class RaftInbox {
    /** Messages of other nodes that wait. */
    static final int MAX_MESSAGES = 4_096;

    /** Orders that wait. */
    static final int MAX_ORDERS = 64;

    /** Something that happened. */
    @FunctionalInterface
    interface Event {
        /** Tells the node. On the log loop. */
        Effects tell(RaftNode node);
    }

    /** @param counter counts those of its kind that wait; null for what is always taken */
    private record Item(Event event, @Nullable AtomicInteger counter) {}

    private final Queue<Held> holdings = new ConcurrentLinkedQueue<>();
    private final AtomicInteger holdingsCount = new AtomicInteger();
    private final Queue<Item> items = new ConcurrentLinkedQueue<>();
    private final AtomicInteger messages = new AtomicInteger();
    private final AtomicInteger orders = new AtomicInteger();
    private volatile Runnable wake = () -> {};
    private volatile Runnable run = () -> {};

    /**
     * Names what makes the log loop run. Before anything is put in.
     *
     * @param waker on its own thread, soon
     * @param runner a short pass on this thread, when the loop is parked
     */
    void onWork(Runnable waker, Runnable runner) {
        wake = waker;
        run = runner;
    }

    /** A follower said what it holds; false when it was dropped. */
    boolean held(Held held) {
        if (holdingsCount.incrementAndGet() > MAX_MESSAGES) {
            holdingsCount.decrementAndGet();
            return false;
        }
        holdings.add(held);
        run.run();
        return true;
    }

    /** What a follower holds; null when nothing waits. Log loop only. */
    @Nullable
    Held pollHeld() {
        Held held = holdings.poll();
        if (held != null) {
            holdingsCount.decrementAndGet();
        }
        return held;
    }

    /** Another node said something; false when it was dropped. */
    boolean message(RaftMessage message) {
        return add(node -> node.step(message), messages, MAX_MESSAGES);
    }

    /** A tool, or the broker, orders something; false when too many orders wait. */
    boolean order(Event order) {
        return add(order, orders, MAX_ORDERS);
    }

    private boolean add(Event event, AtomicInteger counter, int limit) {
        if (counter.incrementAndGet() > limit) {
            counter.decrementAndGet();
            return false;
        }
        items.add(new Item(event, counter));
        wake.run();
        return true;
    }

    /** Something else happened. */
    void event(Event event) {
        items.add(new Item(event, null));
        wake.run();
    }

    /** What is next; null when nothing waits. Log loop only. */
    @Nullable
    Event poll() {
        Item item = items.poll();
        if (item == null) {
            return null;
        }
        AtomicInteger counter = item.counter();
        if (counter != null) {
            counter.decrementAndGet();
        }
        return item.event();
    }

    boolean isEmpty() {
        return items.isEmpty() && holdings.isEmpty();
    }
}
