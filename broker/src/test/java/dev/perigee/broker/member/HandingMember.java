package dev.perigee.broker.member;

import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.remoting.HandlerTable;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A member that hands over whatever it is asked. */
final class HandingMember {
    static final ForwardedCalls.Self SELF =
            new ForwardedCalls.Self("n1", new OwnGroup("g1", () -> Optional.of("a1b2")));

    /** Of a message that it is sent. */
    static final SendMessageHeader SEND = new SendMessageHeader(
            "producers", "T", "TBW102", 4, 0, 0, 0, 0, PropertyText.of(""), 0, false, -1, false, null);

    private HandingMember() {}

    /** What its port answers: these requests, of a client that does not consume. */
    static HandlerTable table(ForwardedCalls calls, Rpc<?, ?>... rpcs) {
        HandlerTable.Builder table = HandlerTable.builder();
        List.of(rpcs).forEach(rpc -> hand(table, calls, rpc, null));
        return table.build();
    }

    /** Adds that it hands this over, of a consumer with this client id; null for none. */
    static <Q extends Record, R extends Record> void hand(
            HandlerTable.Builder table, ForwardedCalls calls, Rpc<Q, R> rpc, @Nullable String clientId) {
        table.on(rpc, (request, reply) -> calls.forward(rpc, request, clientId, reply));
    }
}
