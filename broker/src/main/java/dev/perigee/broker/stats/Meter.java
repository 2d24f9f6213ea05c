package dev.perigee.broker.stats;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.stats.StatsItem;
import java.util.concurrent.atomic.LongAdder;

/**
 * A running total with its recent history: samples every 10 s for the last 10 minutes and every hour for the last day.
 * Counting is one adder; all else happens on the sampling tick.
 */
@ThreadSafe
public final class Meter {
    /** Time between two samples. */
    public static final long SAMPLE_MS = 10_000;

    private static final int SHORT_SAMPLES = 61;
    private static final int LONG_SAMPLES = 145;
    private static final int SHORT_PER_LONG = 60;

    private final LongAdder total = new LongAdder();
    private final long[] shorts = new long[SHORT_SAMPLES];
    private final long[] longs = new long[LONG_SAMPLES];
    private int shortCount;
    private int longCount;

    Meter() {
        sample();
    }

    /** Counts. */
    public void add(long amount) {
        total.add(amount);
    }

    /** Everything counted since the start. */
    public long total() {
        return total.sum();
    }

    /** Takes a sample; to be called every {@link #SAMPLE_MS}. */
    synchronized void sample() { // guards the rings, which the tick writes and queries read, both rarely
        long now = total.sum();
        if (shortCount % SHORT_PER_LONG == 0) {
            longs[longCount++ % LONG_SAMPLES] = now;
        }
        shorts[shortCount++ % SHORT_SAMPLES] = now;
    }

    /** Rate per second over the last so many seconds, at most 600, from samples; 0 before there are two. */
    public synchronized double perSecond(int seconds) {
        int back = (int) Math.min(seconds * 1000L / SAMPLE_MS, Math.min(shortCount, SHORT_SAMPLES) - 1L);
        return back <= 0 ? 0 : shortSum(back) * 1000.0 / (back * SAMPLE_MS);
    }

    /** The last minute; the average is per call counted in {@code calls}. */
    public synchronized StatsItem minute(Meter calls) {
        int back = Math.min(6, Math.min(shortCount, SHORT_SAMPLES) - 1);
        return item(shortSum(back), back * SAMPLE_MS, calls.shortSum(back));
    }

    /** The last hour, in steps of ten minutes. */
    public synchronized StatsItem hour(Meter calls) {
        return longItem(6, calls);
    }

    /** The last day, in steps of ten minutes. */
    public synchronized StatsItem day(Meter calls) {
        return longItem(144, calls);
    }

    private StatsItem longItem(int wanted, Meter calls) {
        int back = Math.min(wanted, Math.min(longCount, LONG_SAMPLES) - 1);
        return item(longSum(back), back * SAMPLE_MS * SHORT_PER_LONG, calls.longSum(back));
    }

    private static StatsItem item(long sum, long ms, long calls) {
        return new StatsItem(sum, ms == 0 ? 0 : sum * 1000.0 / ms, calls == 0 ? 0 : (double) sum / calls);
    }

    private synchronized long shortSum(int back) {
        return back <= 0
                ? 0
                : shorts[(shortCount - 1) % SHORT_SAMPLES] - shorts[(shortCount - 1 - back) % SHORT_SAMPLES];
    }

    private synchronized long longSum(int back) {
        return back <= 0 ? 0 : longs[(longCount - 1) % LONG_SAMPLES] - longs[(longCount - 1 - back) % LONG_SAMPLES];
    }
}
