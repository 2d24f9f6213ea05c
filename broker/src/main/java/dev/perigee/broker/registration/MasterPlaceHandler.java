package dev.perigee.broker.registration;

import dev.perigee.broker.registration.RegistrationDuty.MasterSearch;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.replica.HaInfoHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.RequestHandler;
import dev.perigee.remoting.address.AddressText;

/**
 * Answers EXCHANGE_BROKER_HA_INFO (906) at a slave: it is told where its master replicates, by that one while it waits for its slaves and is
 * registered nowhere. A slave that follows, or whose settings name its master, goes on as it was.
 */
@ThreadSafe
public final class MasterPlaceHandler implements RequestHandler<HaInfoHeader, NoHeader> {
    private final MasterSearch search;

    /** @param search is told what was heard */
    public MasterPlaceHandler(MasterSearch search) {
        this.search = search;
    }

    @Override
    public void handle(Request<HaInfoHeader> request, Reply<NoHeader> reply) {
        String place = request.header().masterHaAddress();
        if (place == null || AddressText.parse(place).isEmpty()) {
            reply.fail(ResponseCode.INVALID_PARAMETER, "masterHaAddress=" + place + ", wanted host:port");
            return;
        }
        if (search.isWanted()) {
            search.foundAt(place);
        }
        reply.ok(NoHeader.NONE);
    }
}
