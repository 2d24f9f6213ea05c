package dev.perigee.broker.offset;

import dev.perigee.loop.ThreadSafe;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who waits for offsets to be logged, and the facts that are on their way: a waiter goes on when every fact begun before it
 * was taken has come to its end. Anyone may ask; the rest belongs to the view loop.
 */
@ThreadSafe
final class FlushWaiters {
    /** Waiters at most; one more is refused as busy. */
    static final int MAX_WAITING = 10_000;

    private record Waiter(long sequence, Runnable then) {}

    private final Queue<Runnable> asked = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger(); // in asked and waiting

    // view loop only
    private final TreeSet<Long> inFlight = new TreeSet<>();
    private final List<Runnable> gathered = new ArrayList<>();
    private final List<Waiter> waiting = new ArrayList<>();
    private long sequence;

    /** Takes a place; false when there is none. Who has one asks. */
    boolean reserve() {
        if (count.incrementAndGet() <= MAX_WAITING) {
            return true;
        }
        count.decrementAndGet();
        return false;
    }

    /** Takes a place in any case. */
    void reserveAnyhow() {
        count.incrementAndGet();
    }

    /** Waits on a reserved place. */
    void ask(Runnable then) {
        asked.add(then);
    }

    /** Whether anybody asked who was not taken yet. View loop. */
    boolean isAsked() {
        return !asked.isEmpty() || !gathered.isEmpty();
    }

    /** Those that have asked by now are the next to be taken: what they wait for is there to be appended. */
    void gather() {
        Runnable then;
        while ((then = asked.poll()) != null) {
            gathered.add(then);
        }
    }

    /** Those that were gathered wait for the facts begun so far. */
    void take() {
        gathered.forEach(then -> waiting.add(new Waiter(sequence, then)));
        gathered.clear();
    }

    /** A fact is appended; gives its number. */
    long begin() {
        long number = ++sequence;
        inFlight.add(number);
        return number;
    }

    /** A fact is applied, or could not be logged. */
    void end(long number) {
        inFlight.remove(number);
    }

    /** Whether no fact is on its way. */
    boolean isIdle() {
        return inFlight.isEmpty();
    }

    /** Lets go on whoever waits for no fact any more. */
    void run() {
        long firstInFlight = inFlight.isEmpty() ? Long.MAX_VALUE : inFlight.first();
        waiting.removeIf(waiter -> {
            boolean over = waiter.sequence() < firstInFlight;
            if (over) {
                count.decrementAndGet();
                waiter.then().run();
            }
            return over;
        });
    }
}
