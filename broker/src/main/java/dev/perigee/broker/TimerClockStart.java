package dev.perigee.broker;

import dev.perigee.broker.timer.TimerClock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.store.view.Duty;
import java.util.function.BooleanSupplier;

/**
 * Has the clock of what waits go on from what the views show when they show all that lies before this node's epoch: when it was
 * made, part of the log was not confirmed, and what that says of the clock not known.
 */
@OwnedBy("view loop")
final class TimerClockStart implements Duty {
    private final BrokerViews views;
    private final TimerClock clock;
    private final BooleanSupplier level;
    private volatile boolean done;

    /** @param level whether the views do */
    TimerClockStart(BrokerViews views, TimerClock clock, BooleanSupplier level) {
        this.views = views;
        this.clock = clock;
        this.level = level;
    }

    @Override
    public int doWork(long nowMs) {
        if (done || !level.getAsBoolean()) {
            return 0;
        }
        views.goOn(clock);
        done = true;
        return 1;
    }

    /** Whether that was done. Any thread. */
    boolean isDone() {
        return done;
    }
}
