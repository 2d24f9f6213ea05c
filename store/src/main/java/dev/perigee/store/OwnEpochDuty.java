package dev.perigee.store;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.view.Duty;
import java.util.function.BooleanSupplier;

/** A duty that decides by what the views show, and acts only once these show all that was decided before this node's epoch. */
@OwnedBy("view loop")
final class OwnEpochDuty implements Duty {
    private final Duty duty;
    private final BooleanSupplier begun;

    /** @param begun whether they do */
    OwnEpochDuty(Duty duty, BooleanSupplier begun) {
        this.duty = duty;
        this.begun = begun;
    }

    @Override
    public int doWork(long nowMs) {
        return begun.getAsBoolean() ? duty.doWork(nowMs) : 0;
    }

    @Override
    public long nextDeadlineMs() {
        return begun.getAsBoolean() ? duty.nextDeadlineMs() : Long.MAX_VALUE;
    }
}
