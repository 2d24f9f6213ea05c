package dev.perigee.broker.client;

import dev.perigee.loop.Immutable;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.Connection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Members that have joined a moment ago, each to be told once more after {@link #AGAIN_MS}. A stock client of 5.x that is still starting when
 * its first notice comes may not know the routes of its topics: it finds nothing to share out, takes that for settled and looks again after
 * 20 s, or when it is told, though not twice within a second.
 */
@ThreadSafe
final class Newcomers {
    /** A little more than the second in which such a client looks only once. */
    static final long AGAIN_MS = 1_100;

    /** Most that wait; one more is not told again, and looks by itself after 20 s at the latest. */
    static final int MAX_WAITING = 10_000;

    /** In place of a time: there is none. */
    static final long NONE_MS = Long.MAX_VALUE;

    /** A member that joined, and when it is told again, in monotonic milliseconds. */
    @Immutable
    record Newcomer(String group, Connection connection, long dueMs) {}

    private final Queue<Newcomer> waiting =
            new ConcurrentLinkedQueue<>(); // in the order of their times, but for racing threads
    private final AtomicInteger count = new AtomicInteger();

    /**
     * Remembers who is there that was not before. From any thread.
     *
     * @return when those are due; {@link #NONE_MS} when there are none
     */
    long joined(ConsumerGroup before, ConsumerGroup after, long nowMs) {
        long dueMs = nowMs + AGAIN_MS;
        boolean any = false;
        for (Member member : after.members()) {
            if (before.memberOn(member.connection()) == null) {
                any |= add(new Newcomer(after.name(), member.connection(), dueMs));
            }
        }
        return any ? dueMs : NONE_MS;
    }

    private boolean add(Newcomer newcomer) {
        if (count.incrementAndGet() > MAX_WAITING) {
            count.decrementAndGet();
            return false;
        }
        waiting.add(newcomer);
        return true;
    }

    /** Takes out the next one that is due; null when none is. On one thread. */
    @Nullable
    Newcomer pollDue(long nowMs) {
        Newcomer next = waiting.peek();
        if (next == null || next.dueMs() > nowMs) {
            return null;
        }
        waiting.poll();
        count.decrementAndGet();
        return next;
    }

    /** When the next one is due; {@link #NONE_MS} when none waits. */
    long nextDueMs() {
        Newcomer next = waiting.peek();
        return next == null ? NONE_MS : next.dueMs();
    }
}
