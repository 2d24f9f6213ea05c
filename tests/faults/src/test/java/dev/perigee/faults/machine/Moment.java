package dev.perigee.faults.machine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/** Points in time that a plan names. */
public final class Moment {
    private Moment() {}

    /** Now, in microseconds of the machine's monotonic clock, as in histories. */
    public static long nowUs() {
        return TimeUnit.NANOSECONDS.toMicros(System.nanoTime());
    }

    /** Waits until that moment. Blocks. */
    public static void awaitUs(long momentUs) {
        long restUs = momentUs - nowUs();
        if (restUs > 0) {
            Awaitility.await("a moment of the plan")
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(5))
                    .atMost(Duration.ofMinutes(10).plusNanos(TimeUnit.MICROSECONDS.toNanos(restUs)))
                    .until(() -> nowUs() >= momentUs);
        }
    }

    /** Waits that long. Blocks. */
    public static void afterMs(long restMs) {
        awaitUs(nowUs() + TimeUnit.MILLISECONDS.toMicros(restMs));
    }
}
