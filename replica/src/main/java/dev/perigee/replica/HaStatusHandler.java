package dev.perigee.replica;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.RequestHandler;
import dev.perigee.remoting.transport.Payload;
import java.util.function.Supplier;

/** Answers GET_BROKER_HA_STATUS (907). */
@ThreadSafe
public final class HaStatusHandler implements RequestHandler<NoHeader, NoHeader> {
    private final Supplier<HaStatus> status;

    /** @param status what is answered; any thread */
    public HaStatusHandler(Supplier<HaStatus> status) {
        this.status = status;
    }

    @Override
    public void handle(Request<NoHeader> request, Reply<NoHeader> reply) {
        reply.ok(NoHeader.NONE, Payload.of(Json.write(status.get())));
    }
}
