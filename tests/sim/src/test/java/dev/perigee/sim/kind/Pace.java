package dev.perigee.sim.kind;

/**
 * How fast a stretch of a run was simulated.
 *
 * @param simulatedMs how long it was on the cluster's clock
 * @param tookNs how long it took
 */
public record Pace(long simulatedMs, long tookNs) {
    private static final double NS_PER_MS = 1e6;

    /** Simulated seconds in one real second. */
    public double secondsPerSecond() {
        return simulatedMs / Math.max(1, tookNs / NS_PER_MS);
    }
}
