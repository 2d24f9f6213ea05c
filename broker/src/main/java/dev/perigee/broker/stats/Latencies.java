package dev.perigee.broker.stats;

import dev.perigee.loop.ThreadSafe;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAccumulator;

/** How long something took, since the start: counts by time, of which the longest and any quantile can be asked. */
@ThreadSafe
public final class Latencies {
    /** Upper ends of the counted times in milliseconds, inclusive; what is longer goes into one count behind the last. */
    private static final int[] ENDS_MS = {
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100, 120, 140, 160, 180, 200, 250,
        300, 350, 400, 500, 600, 700, 800, 900, 1_000, 1_500, 2_000, 3_000, 4_000, 5_000, 10_000
    };
    /** The coarser steps tools print, each an end above. */
    private static final int[] SHOWN_MS = {0, 10, 50, 100, 200, 500, 1_000, 2_000, 3_000, 4_000, 5_000, 10_000};

    private static final String[] SHOWN = {
        "<=0ms",
        "0~10ms",
        "10~50ms",
        "50~100ms",
        "100~200ms",
        "200~500ms",
        "500ms~1s",
        "1~2s",
        "2~3s",
        "3~4s",
        "4~5s",
        "5~10s",
        "10s~"
    };

    private final AtomicLongArray counts = new AtomicLongArray(ENDS_MS.length + 1);
    private final LongAccumulator longest = new LongAccumulator(Math::max, 0);

    Latencies() {}

    /** It took this long once more. */
    public void add(long tookMs) {
        longest.accumulate(tookMs);
        counts.incrementAndGet(bucket(tookMs));
    }

    /** The longest time in milliseconds; 0 when nothing was counted. */
    public long longestMs() {
        return longest.get();
    }

    /** A time in milliseconds that this share (0 to 1) did not exceed; 0 when nothing was counted. */
    public long quantileMs(double share) {
        long all = 0;
        for (int i = 0; i < counts.length(); i++) {
            all += counts.get(i);
        }
        long wanted = (long) Math.ceil(all * share);
        long sum = 0;
        for (int i = 0; i < ENDS_MS.length && wanted > 0; i++) {
            sum += counts.get(i);
            if (sum >= wanted) {
                return Math.min(ENDS_MS[i], longestMs());
            }
        }
        return longestMs();
    }

    /** As tools print it: {@code [<=0ms]:1 [0~10ms]:2 …}. */
    public String distribution() {
        StringBuilder text = new StringBuilder();
        int next = 0;
        for (int shown = 0; shown < SHOWN.length; shown++) {
            long count = 0;
            while (next < counts.length() && isWithin(next, shown)) {
                count += counts.get(next++);
            }
            text.append(shown == 0 ? "[" : " [")
                    .append(SHOWN[shown])
                    .append("]:")
                    .append(count);
        }
        return text.toString();
    }

    private static boolean isWithin(int bucket, int shown) {
        return shown == SHOWN_MS.length || (bucket < ENDS_MS.length && ENDS_MS[bucket] <= SHOWN_MS[shown]);
    }

    private static int bucket(long tookMs) {
        int low = 0;
        int high = ENDS_MS.length;
        while (low < high) {
            int middle = (low + high) / 2;
            if (ENDS_MS[middle] >= tookMs) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }
}
