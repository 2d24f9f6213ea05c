package dev.perigee.broker.member;

import dev.perigee.loop.ThreadSafe;
import java.util.Comparator;
import java.util.Queue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Requests that wait for somebody who takes them, all of one kind: a leader takes each of them, or none. So where it is not known whether the
 * leader takes them, a few are sent to find that out, one each {@link #AGAIN_MS} while it says no, twice as many each time while it says nothing; and
 * all when one was taken.
 */
@ThreadSafe
final class KeptCalls {
    /** Between two tries. */
    static final long AGAIN_MS = 20;

    /** Sent in one try at most. */
    static final int MOST_TRIED = 256;

    /** Sent in one pass at most, for the view loop has more to do. */
    static final int MOST_A_PASS = 4_096;

    /** The one that is kept for the shortest time first. */
    private final Queue<ForwardedCall<?, ?>> kept = new PriorityBlockingQueue<>(
            64,
            Comparator.<ForwardedCall<?, ?>>comparingLong(ForwardedCall::untilMs)
                    .thenComparingLong(ForwardedCall::number));

    private final Runnable wake;
    /** In the next try. */
    private final AtomicInteger tried = new AtomicInteger(1);
    /** Where one was taken, and none was turned away since; empty for nowhere. */
    private volatile String taker = "";

    // view loop only
    private long againMs = Long.MIN_VALUE;
    private String lastLeader = "";

    /**
     * None yet.
     *
     * @param wake makes the view loop run soon
     */
    KeptCalls(Runnable wake) {
        this.wake = wake;
    }

    /** Keeps one. Any thread. */
    void add(ForwardedCall<?, ?> call) {
        kept.add(call);
        wake.run();
    }

    /** Whether one that comes now may go there at once: it is known to be taken, and none waits that came before. Any thread. */
    boolean isOpen(String address) {
        return hasTaker(address) && kept.isEmpty();
    }

    /** Whether the leader there took the last one of which that is known. Any thread. */
    boolean hasTaker(String address) {
        return !address.isEmpty() && taker.equals(address);
    }

    /** The leader there took one. Any thread. */
    void taken(String address) {
        taker = address;
        if (!kept.isEmpty()) {
            wake.run();
        }
    }

    /** One was turned away there, or nobody was reached. Any thread. */
    void turnedAway(String address) {
        if (taker.equals(address)) {
            taker = "";
        }
        tried.set(1);
    }

    /** Takes out one that was kept for too long, if there is one. On the view loop. */
    @Nullable
    ForwardedCall<?, ?> pollOverdue(long nowMs) {
        ForwardedCall<?, ?> first = kept.peek();
        return first == null || nowMs < first.untilMs()
                ? null
                : kept.poll(); // what came meanwhile is before it only if overdue too
    }

    /** Takes out the next one. On the view loop. */
    @Nullable
    ForwardedCall<?, ?> poll() {
        return kept.poll();
    }

    /**
     * How many may go now. On the view loop.
     *
     * @param leader where they would go; empty for nowhere
     */
    int mayGo(String leader, long nowMs) {
        if (!leader.equals(lastLeader)) {
            lastLeader = leader;
            tried.set(1);
        }
        if (kept.isEmpty()) {
            return 0;
        }
        if (hasTaker(leader)) {
            return MOST_A_PASS;
        }
        if (nowMs < againMs) {
            return 0;
        }
        againMs = nowMs + AGAIN_MS;
        return leader.isEmpty() ? 0 : tried.getAndUpdate(now -> Math.min(2 * now, MOST_TRIED));
    }

    /** When to look again. On the view loop. */
    long nextDeadlineMs() {
        if (kept.isEmpty()) {
            return Long.MAX_VALUE;
        }
        return hasTaker(lastLeader) ? Long.MIN_VALUE : againMs;
    }
}
