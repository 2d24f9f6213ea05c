package dev.perigee.client.instance;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import java.util.concurrent.atomic.LongAdder;

/**
 * Questions about transactions that come to a client which has none. It knows nothing it could answer, and says nothing: the broker
 * asks another member of the group.
 */
@ThreadSafe
public final class ForeignChecks {
    private final LongAdder heard = new LongAdder();

    /** Answers nothing but that it heard. */
    public HandlerTable.Builder table() {
        return HandlerTable.builder().on(Rpcs.CHECK_TRANSACTION_STATE, (request, reply) -> {
            heard.increment();
            reply.ok(NoHeader.NONE);
        });
    }

    /** How many came. */
    public long count() {
        return heard.sum();
    }
}
