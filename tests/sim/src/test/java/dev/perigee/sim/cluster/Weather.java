package dev.perigee.sim.cluster;

/**
 * How bad a network is, for frames that are sent now.
 *
 * @param lossPercent frames of a hundred that never arrive
 * @param maxDelayMs the longest a frame takes
 * @param doublePercent frames of a hundred that arrive twice
 * @param overtakes whether a frame may arrive before one that was sent earlier on the same connection
 * @param heldUntilMs nothing arrives before that monotonic time; what is sent meanwhile arrives then, as TCP sends it again
 */
public record Weather(int lossPercent, int maxDelayMs, int doublePercent, boolean overtakes, long heldUntilMs) {
    /** Everything arrives at once. */
    public static final Weather FINE = new Weather(0, 0);

    /** Frames are lost and late. */
    public Weather(int lossPercent, int maxDelayMs) {
        this(lossPercent, maxDelayMs, 0, false, 0);
    }

    /** Frames arrive twice. */
    public static Weather doubling(int percent) {
        return new Weather(0, 0, percent, false, 0);
    }

    /** Frames are late, and each by itself. */
    public static Weather overtaking(int maxDelayMs) {
        return new Weather(0, maxDelayMs, 0, true, 0);
    }

    /** Nothing gets through before that monotonic time. */
    public static Weather parted(long untilMs) {
        return new Weather(0, 0, 0, false, untilMs);
    }

    /** Both at once. */
    Weather and(Weather other) {
        return new Weather(
                Math.max(lossPercent, other.lossPercent),
                Math.max(maxDelayMs, other.maxDelayMs),
                Math.max(doublePercent, other.doublePercent),
                overtakes || other.overtakes,
                Math.max(heldUntilMs, other.heldUntilMs));
    }
}
