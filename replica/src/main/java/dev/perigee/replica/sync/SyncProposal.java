package dev.perigee.replica.sync;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import java.util.List;

/**
 * A set of replicas that is to be in sync once the log says so.
 *
 * @param number tells proposals apart; a later one replaces an earlier one
 * @param members the set, in order
 */
@Immutable
record SyncProposal(long number, List<InSyncMember> members) {
    /** What became of one: the byte after its fact, −1 when it was not appended. */
    record Outcome(long number, long endOffset) {}

    SyncProposal {
        members = List.copyOf(members);
    }
}
