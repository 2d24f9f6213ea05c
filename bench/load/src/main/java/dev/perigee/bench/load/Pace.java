package dev.perigee.bench.load;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Keeps one thread at a rate: what was late is caught up at once. Not thread-safe. */
final class Pace {
    private final long periodNs;
    private long nextNs;

    /** Begins now. */
    Pace(int perSecond) {
        this.periodNs = TimeUnit.SECONDS.toNanos(1) / perSecond;
        this.nextNs = System.nanoTime();
    }

    /** Waits until the next one is due; false when it has been for more than a period. */
    boolean await() {
        nextNs += periodNs;
        long lateNs = System.nanoTime() - nextNs;
        for (long leftNs = -lateNs; leftNs > 0; leftNs = nextNs - System.nanoTime()) {
            LockSupport.parkNanos(leftNs);
        }
        return lateNs <= periodNs;
    }
}
