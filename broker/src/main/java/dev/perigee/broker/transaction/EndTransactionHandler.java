package dev.perigee.broker.transaction;

import dev.perigee.broker.fact.ReadGate;
import dev.perigee.broker.fact.WaitingRequests;
import dev.perigee.broker.transaction.producer.CheckTargets;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.send.EndTransactionHeader;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.RequestHandler;
import dev.perigee.store.log.CommitLog;

/**
 * Answers END_TRANSACTION (37), which stock producers send one-way (broker-client §6): 0 when the half is decided so, now or
 * before, 604 when it was decided otherwise. That nothing is known yet (0) is taken note of, and changes nothing.
 */
@ThreadSafe
final class EndTransactionHandler implements RequestHandler<EndTransactionHeader, NoHeader> {
    private static final int UNKNOWN = 0;

    private final TransactionDesk desk;
    private final CheckTargets targets;
    private final CommitLog log;
    private final ReadGate gate;
    private final WaitingRequests waiting;

    EndTransactionHandler(
            TransactionDesk desk, CheckTargets targets, CommitLog log, ReadGate gate, WaitingRequests waiting) {
        this.desk = desk;
        this.targets = targets;
        this.log = log;
        this.gate = gate;
        this.waiting = waiting;
    }

    @Override
    public void handle(Request<EndTransactionHeader> request, Reply<NoHeader> reply) {
        EndTransactionHeader header = request.header();
        if (header.fromTransactionCheck()) {
            targets.answered(request.from());
        }
        switch (header.commitOrRollback()) {
            case UNKNOWN -> reply.ok(NoHeader.NONE);
            case SysFlag.TRANSACTION_COMMIT, SysFlag.TRANSACTION_ROLLBACK ->
                gate.pass(halfApplied(header.commitLogOffset()), reply, () -> decide(header, request.oneway(), reply));
            default ->
                reply.fail(
                        ResponseCode.SYSTEM_ERROR,
                        "commitOrRollback=" + header.commitOrRollback() + " of producerGroup="
                                + header.producerGroup() + " is neither " + SysFlag.TRANSACTION_COMMIT
                                + " (commit) nor " + SysFlag.TRANSACTION_ROLLBACK + " (rollback) nor 0 (unknown)");
        }
    }

    /** How far the views must have come to know a half that may have been acknowledged a moment ago. */
    private long halfApplied(long birth) {
        return birth < log.endOffset() ? birth + 1 : 0;
    }

    private void decide(EndTransactionHeader header, boolean oneway, Reply<NoHeader> reply) {
        Reply<NoHeader> held = oneway ? reply : waiting.hold(reply, "the half to be decided");
        desk.submit(new Decision(header, held));
    }
}
