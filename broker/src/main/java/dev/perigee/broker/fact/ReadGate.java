package dev.perigee.broker.fact;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;

/**
 * Read your writes: a request that is answered from a view runs only after the views have applied everything that was
 * confirmed when it arrived. Mostly that is so already, and the task runs at once.
 */
@ThreadSafe
public final class ReadGate {
    private final AppliedLog log;

    public ReadGate(AppliedLog log) {
        this.log = log;
    }

    /** The end of everything confirmed now; what a request that arrives now must see. */
    public long confirmedEnd() {
        return log.confirmOffset();
    }

    /** As below, for a request that arrives now. */
    public void pass(Reply<?> reply, Runnable task) {
        pass(confirmedEnd(), reply, task);
    }

    /**
     * Runs the task now, or on the request's event loop when the views have come so far.
     *
     * @param confirmed what {@link #confirmedEnd} was when the request arrived
     * @param reply guards the task, and is answered as busy when too many requests wait for the views already
     */
    public void pass(long confirmed, Reply<?> reply, Runnable task) {
        if (log.appliedOffset() >= confirmed) {
            reply.guard(task);
        } else if (!log.whenApplied(confirmed, () -> reply.resume(task))) {
            reply.fail(
                    ResponseCode.SYSTEM_BUSY, "[OVERLOAD]too many requests wait for the views to catch up, try again");
        }
    }
}
