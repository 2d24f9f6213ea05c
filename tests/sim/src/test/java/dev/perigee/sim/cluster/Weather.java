package dev.perigee.sim.cluster;

/**
 * How bad a network is, for frames that are sent now.
 *
 * @param lossPercent frames of a hundred that never arrive
 * @param maxDelayMs the longest a frame takes
 * @param doublePercent frames of a hundred that arrive twice
 * @param overtakes whether a frame may arrive before one that was sent earlier on the same connection
 * @param garblePercent frames of a hundred with bytes of a log in which one bit is turned over
 * @param heldUntilMs nothing arrives before that monotonic time; what is sent meanwhile arrives then, as TCP sends it again
 */
public record Weather(
        int lossPercent, int maxDelayMs, int doublePercent, boolean overtakes, int garblePercent, long heldUntilMs) {
    /** Everything arrives at once. */
    public static final Weather FINE = new Weather(0, 0);

    /** Frames are lost and late. */
    public Weather(int lossPercent, int maxDelayMs) {
        this(lossPercent, maxDelayMs, 0, false, 0, 0);
    }

    /** Frames arrive twice. */
    public static Weather doubling(int percent) {
        return new Weather(0, 0, percent, false, 0, 0);
    }

    /** Frames are late, and each by itself. */
    public static Weather overtaking(int maxDelayMs) {
        return new Weather(0, maxDelayMs, 0, true, 0, 0);
    }

    /** Nothing gets through before that monotonic time. */
    public static Weather parted(long untilMs) {
        return new Weather(0, 0, 0, false, 0, untilMs);
    }

    /** Bits of logs turn over on their way. */
    public static Weather garbling(int percent) {
        return new Weather(0, 0, 0, false, percent, 0);
    }

    /** Both at once. */
    Weather and(Weather other) {
        return new Weather(
                Math.max(lossPercent, other.lossPercent),
                Math.max(maxDelayMs, other.maxDelayMs),
                Math.max(doublePercent, other.doublePercent),
                overtakes || other.overtakes,
                Math.max(garblePercent, other.garblePercent),
                Math.max(heldUntilMs, other.heldUntilMs));
    }
}
