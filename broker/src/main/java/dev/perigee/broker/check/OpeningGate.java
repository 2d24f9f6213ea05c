package dev.perigee.broker.check;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Gate;
import dev.perigee.remoting.Request;
import org.jspecify.annotations.Nullable;

/**
 * Between the opening of a master's port and the moment when it knows that no other master of its name came beside it (R32): answers what tells
 * others that it is there, and reads, but takes nothing that only a master may, so that nothing is acknowledged by one that then gives up.
 */
@ThreadSafe
public final class OpeningGate implements Gate {
    private final Gate next;
    private final String text;
    private volatile boolean open;

    /**
     * Closed.
     *
     * @param next asked about what may pass here
     */
    public OpeningGate(BrokerIdentity identity, Gate next) {
        this.next = next;
        this.text = "[REJECTREQUEST]broker " + identity.name()
                + " has just started, and asks whether another master of its name did: send again";
    }

    /** From now on everything passes. Any thread. */
    public void open() {
        open = true;
    }

    @Override
    public Gate.@Nullable Refusal check(Request<?> request) {
        if (!open && SlaveGate.isForMastersOnly(request.code())) {
            return new Gate.Refusal(ResponseCode.SYSTEM_BUSY, text);
        }
        return next.check(request);
    }
}
