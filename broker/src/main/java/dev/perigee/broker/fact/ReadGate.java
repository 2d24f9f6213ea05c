package dev.perigee.broker.fact;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;

/**
 * Read your writes: a request that is answered from a view runs only after the views have applied everything that was
 * confirmed when it arrived. Mostly that is so already, and the task runs at once. How many wait is bounded in the views,
 * and how long by {@link WaitingRequests}.
 */
@ThreadSafe
public final class ReadGate {
    private final AppliedLog log;
    private final WaitingRequests waiting;

    public ReadGate(AppliedLog log, WaitingRequests waiting) {
        this.log = log;
        this.waiting = waiting;
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
     * @param reply guards the task, and is answered as busy when too many requests wait for the views already, or when
     *     this one waited too long
     */
    public void pass(long confirmed, Reply<?> reply, Runnable task) {
        if (log.appliedOffset() >= confirmed) {
            reply.guard(task);
            return;
        }
        WaitingReply<?> held = waiting.hold(reply, "the views to catch up with the log");
        Runnable goOn = () -> {
            if (held.finish()) {
                task.run();
            }
        };
        if (!log.whenApplied(confirmed, () -> reply.resume(goOn))) {
            held.fail(
                    ResponseCode.SYSTEM_BUSY, "[OVERLOAD]too many requests wait for the views to catch up, try again");
        }
    }
}
