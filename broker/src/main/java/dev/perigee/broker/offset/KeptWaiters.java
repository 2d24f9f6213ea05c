package dev.perigee.broker.offset;

import dev.perigee.loop.ThreadSafe;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** On a slave: who waits for the offset of a queue to be in the file that outlives the process. */
@ThreadSafe
final class KeptWaiters {
    /** Waiters at most; one more is refused as busy. */
    static final int MAX_WAITING = 10_000;

    private record Waiter(GroupQueue key, Runnable then, AtomicBoolean over) {}

    private final Queue<Waiter> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private volatile Runnable onAsk = () -> {};

    /** Names who is told that somebody waits; must not block. Before anybody does. */
    void onAsk(Runnable listener) {
        onAsk = listener;
    }

    /**
     * Waits. Any thread.
     *
     * @param then run when the offset is kept, on the thread that wrote it; must not block
     * @return false when too many wait, and nothing is run
     */
    boolean ask(GroupQueue key, Runnable then) {
        if (count.incrementAndGet() > MAX_WAITING) {
            count.decrementAndGet();
            return false;
        }
        waiting.add(new Waiter(key, then, new AtomicBoolean()));
        onAsk.run();
        return true;
    }

    /** Whether anybody waits. */
    boolean isWaiting() {
        return !waiting.isEmpty();
    }

    /** Lets go on whose offset is kept now. */
    void run(Predicate<GroupQueue> isKept) {
        for (Iterator<Waiter> all = waiting.iterator(); all.hasNext(); ) {
            Waiter waiter = all.next();
            if (isKept.test(waiter.key()) && waiter.over().compareAndSet(false, true)) {
                all.remove();
                count.decrementAndGet();
                waiter.then().run();
            }
        }
    }
}
