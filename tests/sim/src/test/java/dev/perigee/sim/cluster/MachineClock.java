package dev.perigee.sim.cluster;

import dev.perigee.loop.Clock;

/** The clock of one machine: its wall time can be set, its monotonic time is the cluster's. */
final class MachineClock implements Clock {
    private final TurnedClock cluster;
    private long aheadMs;

    MachineClock(TurnedClock cluster) {
        this.cluster = cluster;
    }

    @Override
    public long wallMs() {
        return cluster.wallMs() + aheadMs;
    }

    @Override
    public long monotonicNs() {
        return cluster.monotonicNs();
    }

    void jump(long ms) {
        aheadMs += ms;
    }
}
