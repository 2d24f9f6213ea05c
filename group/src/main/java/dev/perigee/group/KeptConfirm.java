package dev.perigee.group;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.replica.follow.ConfirmedDuty;
import dev.perigee.replica.follow.ConfirmedKeeper;
import dev.perigee.store.view.Duty;
import org.jspecify.annotations.Nullable;

/** Keeps how far the log is confirmed, from the moment when the log is open: the store wants its duties before. */
@ThreadSafe
final class KeptConfirm implements Duty {
    private volatile @Nullable ConfirmedDuty duty;

    void keep(ConfirmedKeeper keeper) {
        duty = new ConfirmedDuty(keeper);
    }

    @Override
    public boolean runsEverywhere() {
        return true;
    }

    @Override
    public int doWork(long nowMs) {
        ConfirmedDuty now = duty;
        return now == null ? 0 : now.doWork(nowMs);
    }

    @Override
    public long nextDeadlineMs() {
        ConfirmedDuty now = duty;
        return now == null ? Long.MAX_VALUE : now.nextDeadlineMs();
    }
}
