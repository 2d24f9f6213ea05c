package dev.perigee.bench.runner.figure;

import java.util.Arrays;
import java.util.Locale;

/** The values of one figure over the runs that count, in ascending order; there may be none. */
public final class Samples {
    /** What stands for a value that is not there. */
    static final String NONE = "–";

    private static final double WHOLE_FROM = 1_000;
    private static final double TENTHS_FROM = 10;

    private final double[] sorted;

    public Samples(double... values) {
        this.sorted = values.clone();
        Arrays.sort(sorted);
    }

    public boolean isEmpty() {
        return sorted.length == 0;
    }

    /** The middle value; of an even number of values the mean of the two in the middle; NaN without any. */
    public double median() {
        int middle = sorted.length / 2;
        if (isEmpty()) {
            return Double.NaN;
        }
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    public String medianText() {
        return isEmpty() ? NONE : text(median());
    }

    /** Smallest to largest. */
    public String spread() {
        return isEmpty() ? NONE : text(sorted[0]) + "–" + text(sorted[sorted.length - 1]);
    }

    /** This median over the other's. */
    public String ratioTo(Samples other) {
        return isEmpty() || other.isEmpty() || other.median() == 0
                ? NONE
                : String.format(Locale.ROOT, "%.2f", median() / other.median());
    }

    private static String text(double value) {
        String tenthsOrHundredths = Math.abs(value) >= TENTHS_FROM ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, Math.abs(value) >= WHOLE_FROM ? "%,.0f" : tenthsOrHundredths, value);
    }
}
