package dev.perigee.broker.offset;

import dev.perigee.broker.check.Bodies;
import dev.perigee.broker.fact.ReadGate;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.protocol.header.replica.ReplicaOffsetsHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.stats.ReplicaOffsets;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.RequestHandler;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * On a master: answers REPLICA_OFFSETS (20005), what consumers committed to a slave (R27). Each counts when it is larger than what is
 * known here and within its queue; the others are passed over. The answer comes when those that count are logged and applied; who asks
 * for an offset is answered with them before. While the start is not over nothing is logged, and the answer comes at once, so that all
 * of a slave's calls come before clients do: it keeps what it handed up until its own log has it.
 */
@ThreadSafe
public final class OffsetsOfSlaves implements RequestHandler<ReplicaOffsetsHeader, NoHeader> {
    private final OffsetCommits commits;
    private final ReadGate gate;
    private final Consumer<Connection> all;
    private final BooleanSupplier logging;

    /**
     * @param gate keeps offsets back until the views show how far their queues go
     * @param all told over which connection a slave has handed up all that it kept
     * @param logging whether the start is over, so that commits are logged
     */
    public OffsetsOfSlaves(OffsetCommits commits, ReadGate gate, Consumer<Connection> all, BooleanSupplier logging) {
        this.commits = commits;
        this.gate = gate;
        this.all = all;
        this.logging = logging;
    }

    @Override
    public void handle(Request<ReplicaOffsetsHeader> request, Reply<NoHeader> reply) {
        ReplicaOffsets offsets = Bodies.read(request, reply, ReplicaOffsets.class);
        if (offsets == null) {
            return;
        }
        List<QueueCommit> entries = offsets.entries();
        if (entries.size() > OffsetCommits.MAX_ENTRIES_PER_FACT) {
            reply.fail(
                    ResponseCode.SYSTEM_ERROR,
                    entries.size() + " entries, limit " + OffsetCommits.MAX_ENTRIES_PER_FACT);
            return;
        }
        for (QueueCommit entry : entries) {
            if (entry == null || Bodies.isBlank(entry.group()) || Bodies.isBlank(entry.topic())) {
                reply.fail(ResponseCode.SYSTEM_ERROR, "an entry has no g (group) or no t (topic): " + entry);
                return;
            }
        }
        gate.pass(reply, () -> take(entries, request.from(), reply));
    }

    private void take(List<QueueCommit> entries, Connection from, Reply<NoHeader> reply) {
        entries.forEach(entry -> commits.raise(entry.group(), entry.topic(), entry.queueId(), entry.offset()));
        if (entries.size() < OffsetCommits.MAX_ENTRIES_PER_FACT) {
            all.accept(from);
        }
        if (logging.getAsBoolean()) {
            commits.flush(reply, () -> reply.resume(() -> reply.ok(NoHeader.NONE)));
        } else {
            reply.ok(NoHeader.NONE);
        }
    }
}
