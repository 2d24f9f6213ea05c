package dev.perigee.client.transaction;

import dev.perigee.client.error.BufferFullException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.call.Deadline;
import java.util.HashMap;
import java.util.Map;

/**
 * The transactions that this producer has begun and not decided yet, by the id that checks name: nobody can say yet what becomes of
 * them, and a producer that closes waits for them.
 */
@ThreadSafe
final class UnderWay {
    /** So many at a time; each has a thread of the user, which waits for it. One more is refused. */
    static final int MAX = 65_536;

    // Guarded by this: the thread that closes has to wait until it is empty, which no message could make it do.
    private final Map<String, Thread> threads = new HashMap<>();

    /** A transaction begins on the calling thread. */
    synchronized void begin(String id, String topic, long remainingMs) throws BufferFullException {
        if (threads.size() >= MAX) {
            throw new BufferFullException(
                    "too many transactions are under way limitTransactions=" + MAX,
                    FailureSite.untried(topic, remainingMs));
        }
        threads.put(id, Thread.currentThread());
    }

    /** It has its outcome, or there is none. */
    synchronized void end(String id) {
        threads.remove(id);
        notifyAll();
    }

    /** Whether this transaction is under way here. */
    synchronized boolean has(String id) {
        return threads.containsKey(id);
    }

    /**
     * Waits until nothing is under way, at most until the deadline; not for transactions of the calling thread, which cannot end
     * meanwhile. Blocks; an interrupt ends the waiting and stays set.
     */
    synchronized void awaitNone(Deadline deadline) {
        try {
            while (!deadline.isExpired() && threads.values().stream().anyMatch(t -> t != Thread.currentThread())) {
                wait(Math.max(1, deadline.remainingMs()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
