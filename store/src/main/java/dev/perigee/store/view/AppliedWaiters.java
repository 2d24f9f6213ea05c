package dev.perigee.store.view;

import dev.perigee.loop.ThreadSafe;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;

/** Who wants to know when the views have applied an offset. Any thread adds, the view loop runs. Bounded by count. */
@ThreadSafe
final class AppliedWaiters {
    private record Waiter(long offset, long order, Runnable task) implements Comparable<Waiter> {
        @Override
        public int compareTo(Waiter other) {
            int byOffset = Long.compare(offset, other.offset);
            return byOffset != 0 ? byOffset : Long.compare(order, other.order);
        }
    }

    private static final int CHUNK = 256;

    private final int maxWaiters;
    private final AtomicInteger count = new AtomicInteger();
    private final MpscUnboundedArrayQueue<Waiter> inbox = new MpscUnboundedArrayQueue<>(CHUNK);
    private final PriorityQueue<Waiter> byOffset = new PriorityQueue<>();
    private long order;

    AppliedWaiters(int maxWaiters) {
        this.maxWaiters = maxWaiters;
    }

    /** Takes a waiter in; false when {@code maxWaiters} wait already. */
    boolean add(long offset, Runnable task) {
        if (count.incrementAndGet() > maxWaiters) {
            count.decrementAndGet();
            return false;
        }
        inbox.offer(new Waiter(offset, 0, task));
        return true;
    }

    /** Runs whoever waits for at most this offset, in order. View loop only. */
    int run(long appliedOffset) {
        int done = 0;
        for (Waiter waiter = inbox.poll(); waiter != null; waiter = inbox.poll()) {
            if (waiter.offset() <= appliedOffset && byOffset.isEmpty()) {
                finish(waiter);
                done++;
            } else {
                byOffset.add(new Waiter(waiter.offset(), order++, waiter.task()));
            }
        }
        for (Waiter first = byOffset.peek(); isDue(first, appliedOffset); first = byOffset.peek()) {
            byOffset.remove();
            finish(first);
            done++;
        }
        return done;
    }

    private static boolean isDue(@Nullable Waiter first, long appliedOffset) {
        return first != null && first.offset() <= appliedOffset;
    }

    private void finish(Waiter waiter) {
        count.decrementAndGet();
        waiter.task().run();
    }

    int size() {
        return count.get();
    }
}
