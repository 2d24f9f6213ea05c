package dev.perigee.broker.offset;

import dev.perigee.broker.check.Bodies;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.protocol.header.replica.ReplicaOffsetsHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.stats.ReplicaOffsets;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.RequestHandler;
import java.util.List;

/**
 * On a master: answers REPLICA_OFFSETS (20005), what consumers committed to a slave (R27). Each counts when it is larger than what is
 * known here and within its queue; the others are passed over. The answer comes when those that count are logged and applied.
 */
@ThreadSafe
public final class OffsetsOfSlaves implements RequestHandler<ReplicaOffsetsHeader, NoHeader> {
    private final OffsetCommits commits;

    public OffsetsOfSlaves(OffsetCommits commits) {
        this.commits = commits;
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
        entries.forEach(entry -> commits.raise(entry.group(), entry.topic(), entry.queueId(), entry.offset()));
        commits.flush(reply, () -> reply.resume(() -> reply.ok(NoHeader.NONE)));
    }
}
