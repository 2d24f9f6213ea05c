package dev.perigee.remoting.transport;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Allows so many lines about faults in a period, so that no peer can fill the disk with them. The rest is counted, and the
 * count is logged with the first fault of a later period.
 */
@ThreadSafe
public final class FaultLog {
    /** Lines written in one period. */
    public static final int MAX_LINES = 100;

    /** Length of a period. */
    public static final long PERIOD_MS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(FaultLog.class);

    private final String source;
    private final Clock clock;
    private final AtomicLong periodStartMs;
    private final AtomicInteger faults = new AtomicInteger();

    /** @param source whose faults are counted, for the log */
    public FaultLog(String source, Clock clock) {
        this.source = source;
        this.clock = clock;
        this.periodStartMs = new AtomicLong(clock.monotonicMs());
    }

    /** Whether the line about one more fault is written; to be asked once per fault, from any thread. */
    public boolean mayLog() {
        long nowMs = clock.monotonicMs();
        long startMs = periodStartMs.get();
        if (nowMs - startMs >= PERIOD_MS && periodStartMs.compareAndSet(startMs, nowMs)) {
            int left = faults.getAndSet(0) - MAX_LINES;
            if (left > 0) {
                LOG.warn("event=faults_not_logged source={} count={} periodMs={}", source, left, nowMs - startMs);
            }
        }
        return faults.incrementAndGet() <= MAX_LINES;
    }
}
