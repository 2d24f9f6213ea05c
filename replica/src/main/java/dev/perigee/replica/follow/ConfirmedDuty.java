package dev.perigee.replica.follow;

import dev.perigee.loop.OwnedBy;
import dev.perigee.replica.StreamLimits;
import dev.perigee.store.view.Duty;

/** Has the confirm offset of a broker that replicates kept now and then, so that its next start knows of it; of a slave also when its master is gone. */
@OwnedBy("view loop")
public final class ConfirmedDuty implements Duty {
    private final ConfirmedKeeper confirmed;
    private long keepMs = Long.MIN_VALUE;

    public ConfirmedDuty(ConfirmedKeeper confirmed) {
        this.confirmed = confirmed;
    }

    @Override
    public boolean runsEverywhere() {
        return true;
    }

    @Override
    public int doWork(long nowMs) {
        if (nowMs < keepMs || !confirmed.isBehind()) {
            return 0;
        }
        keepMs = nowMs + StreamLimits.HEARTBEAT_MS;
        confirmed.keep();
        return 1;
    }

    @Override
    public long nextDeadlineMs() {
        return confirmed.isBehind() ? keepMs : Long.MAX_VALUE;
    }
}
