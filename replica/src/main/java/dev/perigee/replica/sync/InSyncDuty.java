package dev.perigee.replica.sync;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.ReplicasInSync;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.view.Duty;
import java.util.Optional;

/** Appends the fact that says which replicas are in sync, when the master's replication proposes another set. */
@OwnedBy("view loop")
public final class InSyncDuty implements Duty {
    private final MasterReplication replication;
    private final FactSink sink;
    private long lastNumber;

    public InSyncDuty(MasterReplication replication, FactSink sink) {
        this.replication = replication;
        this.sink = sink;
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
        sink.append(
                new ReplicasInSync(proposal.members()),
                false,
                (result, endOffset) ->
                        replication.recorded(proposal.number(), result == AppendResult.APPENDED ? endOffset : -1));
    }
}
