package dev.perigee.broker.registration;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.replica.HaInfoHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.RequestHandler;
import dev.perigee.remoting.address.AddressText;
import java.util.function.Consumer;

/**
 * Answers EXCHANGE_BROKER_HA_INFO (906) at a slave: it is told where its master replicates, by that one while it waits for its slaves and is
 * registered nowhere. A slave that is connected to a master, or whose settings name it, goes on as it was.
 */
@ThreadSafe
public final class MasterPlaceHandler implements RequestHandler<HaInfoHeader, NoHeader> {
    private final Consumer<String> found;

    /** @param found is told {@code host:port}; on event loops, must not block */
    public MasterPlaceHandler(Consumer<String> found) {
        this.found = found;
    }

    @Override
    public void handle(Request<HaInfoHeader> request, Reply<NoHeader> reply) {
        String place = request.header().masterHaAddress();
        if (place == null || AddressText.parse(place).isEmpty()) {
            reply.fail(ResponseCode.INVALID_PARAMETER, "masterHaAddress=" + place + ", wanted host:port");
            return;
        }
        found.accept(place);
        reply.ok(NoHeader.NONE);
    }
}
