package dev.perigee.broker;

import dev.perigee.broker.timer.TimerClock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.store.Store;
import dev.perigee.store.view.Duty;

/**
 * Has the clock of what waits go on from what the views show when they show all that lies before this node's epoch: when it was
 * made, part of the log was not confirmed, and what that says of the clock not known.
 */
@OwnedBy("view loop")
final class TimerClockStart implements Duty {
    private final BrokerViews views;
    private final TimerClock clock;
    private final Store store;
    private volatile boolean done;

    /** @param store folded by the views */
    TimerClockStart(BrokerViews views, TimerClock clock, Store store) {
        this.views = views;
        this.clock = clock;
        this.store = store;
    }

    @Override
    public int doWork(long nowMs) {
        if (done || !store.hasOwnEpoch()) {
            return 0;
        }
        views.goOn(clock, store.recovery());
        done = true;
        return 1;
    }

    /** Whether that was done. Any thread. */
    boolean isDone() {
        return done;
    }
}
