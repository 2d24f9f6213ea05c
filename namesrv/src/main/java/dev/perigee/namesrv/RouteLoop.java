package dev.perigee.namesrv;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.transport.LoopExecutor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The one event loop on which routes change. Other loops hand their changes over; at most a set number of them waits, one
 * more is refused.
 */
@ThreadSafe
final class RouteLoop {
    private final LoopExecutor loop;
    private final int limit;
    private final AtomicInteger waiting = new AtomicInteger();

    RouteLoop(LoopExecutor loop, int limit) {
        this.loop = loop;
        this.limit = limit;
    }

    /** Runs a change soon. False when too many wait already; then it does not run. */
    private boolean offer(Runnable change) {
        if (waiting.incrementAndGet() > limit) {
            waiting.decrementAndGet();
            return false;
        }
        handOver(() -> {
            waiting.decrementAndGet();
            change.run();
        });
        return true;
    }

    /** Runs a change that answers the reply, soon; answers code 1 when it fails or when too many wait already. */
    void change(Reply<?> reply, Runnable step) {
        if (!offer(() -> reply.guard(step))) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "too many registration changes are waiting, try again");
        }
    }

    /** Runs a change that must not be lost: there is at most one such change per connection and sweep. */
    void handOver(Runnable change) {
        if (loop.inLoop()) {
            change.run();
        } else {
            loop.execute(change);
        }
    }

    LoopExecutor loop() {
        return loop;
    }
}
