package dev.perigee.broker.replica.sync;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.fact.ReplicasInSync;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.view.Duty;
import java.util.Optional;

/** Appends the fact that says which replicas are in sync, when the master's replication proposes another set. */
@OwnedBy("view loop")
public final class InSyncDuty implements Duty {
    private final MasterReplication replication;
    private final FactSink sink;
    private final Clock clock;
    private long lastNumber;

    public InSyncDuty(MasterReplication replication, FactSink sink, Clock clock) {
        this.replication = replication;
        this.sink = sink;
        this.clock = clock;
    }

    @Override
    public int doWork(long nowMs) {
        Optional<SyncProposal> proposal = replication.proposal();
        if (proposal.isEmpty() || proposal.get().number() == lastNumber) {
            return 0;
        }
        lastNumber = proposal.get().number();
        append(proposal.get());
        return 1;
    }

    /** It is not waited for: whether it counts is decided by who holds it, and not the other way round. */
    private void append(SyncProposal proposal) {
        FrameDraft frame = FactCodec.fill(
                new FrameDraft().bornTimestampMs(clock.wallMs()), new ReplicasInSync(proposal.members()));
        sink.append(
                SystemTopic.FACTS,
                FactCodec.QUEUE_ID,
                frame,
                FactSink.Room.RESERVE,
                false,
                (result, endOffset, queueOffset) ->
                        replication.recorded(proposal.number(), result == AppendResult.APPENDED ? endOffset : -1));
    }
}
