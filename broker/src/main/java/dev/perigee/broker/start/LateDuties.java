package dev.perigee.broker.start;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.view.Duty;
import java.util.List;

/** The broker's duties, handed to the store when it opens and filled in when they can be made. */
@ThreadSafe
public final class LateDuties implements Duty {
    private final boolean everywhere;
    private volatile List<Duty> duties = List.of();

    /** @param everywhere what {@link Duty#runsEverywhere} says of all of them */
    public LateDuties(boolean everywhere) {
        this.everywhere = everywhere;
    }

    /** Has these done from the next pass on. Any thread. */
    public void set(List<Duty> made) {
        duties = List.copyOf(made);
    }

    @Override
    public int doWork(long nowMs) {
        int work = 0;
        for (Duty duty : duties) {
            work += duty.doWork(nowMs);
        }
        return work;
    }

    @Override
    public boolean runsEverywhere() {
        return everywhere;
    }

    @Override
    public long nextDeadlineMs() {
        long deadlineMs = Long.MAX_VALUE;
        for (Duty duty : duties) {
            deadlineMs = Math.min(deadlineMs, duty.nextDeadlineMs());
        }
        return deadlineMs;
    }
}
