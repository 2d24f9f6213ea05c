package dev.perigee.broker.pull;

import dev.perigee.loop.ThreadSafe;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * When parked pulls have waited enough, in buckets of {@value #BUCKET_MS} ms, so that finding the due ones looks at the due buckets only,
 * however many wait. A pull waits for at most half a minute, so there are a few hundred buckets.
 */
@ThreadSafe
final class Deadlines {
    static final int BUCKET_MS = 100;

    /** Touched only inside an atomic step of the map that holds it. */
    private static final class Bucket {
        private final Set<Waiter> waiters = new HashSet<>();
        private long earliestMs = Long.MAX_VALUE;
    }

    private final ConcurrentHashMap<Long, Bucket> buckets = new ConcurrentHashMap<>();
    /** Never later than the earliest deadline of all, once that is known. */
    private final AtomicLong earliestMs = new AtomicLong(Long.MAX_VALUE);

    /** Whether its deadline is the earliest of all. */
    boolean add(Waiter waiter) {
        buckets.compute(bucketOf(waiter), (key, bucket) -> {
            Bucket filled = bucket == null ? new Bucket() : bucket;
            filled.waiters.add(waiter);
            filled.earliestMs = Math.min(filled.earliestMs, waiter.deadlineMs());
            return filled;
        });
        return waiter.deadlineMs() < earliestMs.getAndAccumulate(waiter.deadlineMs(), Math::min);
    }

    void remove(Waiter waiter) {
        buckets.computeIfPresent(bucketOf(waiter), (key, bucket) -> {
            bucket.waiters.remove(waiter);
            return bucket.waiters.isEmpty() ? null : bucket;
        });
    }

    /** The earliest deadline, or a moment before it when pulls were woken meanwhile. */
    long earliestMs() {
        return earliestMs.get();
    }

    /**
     * Waiters whose deadline is over; they stay here until {@link #remove}d. For one thread at a time.
     *
     * @param most waiters returned at most; when there may be more, the earliest deadline stays over
     */
    List<Waiter> due(long nowMs, int most) {
        List<Waiter> due = new ArrayList<>();
        if (nowMs < earliestMs.get()) {
            return due;
        }
        earliestMs.set(Long.MAX_VALUE); // a waiter that parks from here on lowers it again
        long[] nextMs = {Long.MAX_VALUE};
        for (Long key : buckets.keySet()) {
            buckets.computeIfPresent(key, (same, bucket) -> {
                if (bucket.earliestMs <= nowMs) {
                    bucket.earliestMs = collect(bucket, nowMs, most, due);
                }
                nextMs[0] = Math.min(nextMs[0], bucket.earliestMs);
                return bucket;
            });
        }
        earliestMs.accumulateAndGet(nextMs[0], Math::min);
        return due;
    }

    /** The earliest deadline of those in the bucket that are not taken. */
    private static long collect(Bucket bucket, long nowMs, int most, List<Waiter> due) {
        long nextMs = Long.MAX_VALUE;
        for (Waiter waiter : bucket.waiters) {
            if (waiter.deadlineMs() > nowMs) {
                nextMs = Math.min(nextMs, waiter.deadlineMs());
            } else if (due.size() < most) {
                due.add(waiter);
            } else {
                return nowMs;
            }
        }
        return nextMs;
    }

    private static Long bucketOf(Waiter waiter) {
        return waiter.deadlineMs() / BUCKET_MS;
    }
}
