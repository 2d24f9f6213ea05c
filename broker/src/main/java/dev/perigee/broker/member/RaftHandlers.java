package dev.perigee.broker.member;

import dev.perigee.group.Group;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.header.raft.RaftOrderHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.transport.Payload;

/** What tools ask of a member, and order. An order comes to the leader, for a member hands it over. */
@Immutable
public final class RaftHandlers {
    private final Group group;
    private final MemberStanding standing;
    private final PlannedTransfer transfer;

    public RaftHandlers(Group group, MemberStanding standing, PlannedTransfer transfer) {
        this.group = group;
        this.standing = standing;
        this.transfer = transfer;
    }

    /** Adds a line for each. */
    public void addTo(HandlerTable.Builder table) {
        table.on(Rpcs.RAFT_STATUS, this::status).on(Rpcs.RAFT_ORDER, this::order);
    }

    private void status(Request<NoHeader> request, Reply<NoHeader> reply) {
        reply.ok(NoHeader.NONE, Payload.of(Json.write(group.status(standing.serves()))));
    }

    private boolean endsLeadership(RaftOrderHeader header) {
        String member = header.member();
        return RaftOrderHeader.TRANSFER.equals(header.order())
                || (RaftOrderHeader.REMOVE.equals(header.order()) && member != null && standing.isSelf(member));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what follows ends in the callback
    private void order(Request<RaftOrderHeader> request, Reply<NoHeader> reply) {
        RaftOrderHeader header = request.header();
        (endsLeadership(header) ? transfer.order(header) : group.orders().obey(header))
                .whenComplete((refusal, failure) -> reply.guard(() -> {
                    if (failure != null || refusal == null) {
                        reply.fail(ResponseCode.SYSTEM_ERROR, String.valueOf(failure));
                    } else if (refusal.isPresent()) {
                        reply.fail(ResponseCode.SYSTEM_ERROR, refusal.get());
                    } else {
                        reply.ok(NoHeader.NONE);
                    }
                }));
    }
}
