package dev.perigee.replica.sync;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a master knows of the sets in sync: the one that counts, and the one that will. A value: what happens gives another one.
 *
 * @param inForce what counts; null on a synchronous master before the first set of its run counts
 * @param next what is to count once all its members hold the fact that names it; null for nothing
 * @param factEnd the byte after that fact; −1 before it is in the log
 */
@Immutable
record InSyncSets(
        @Nullable List<InSyncMember> inForce, @Nullable SyncProposal next, long factEnd) {
    static final long NOT_RECORDED = -1;

    /** A synchronous master that knows of no set, and confirms nothing. */
    static final InSyncSets UNKNOWN = new InSyncSets(null, null, NOT_RECORDED);

    /** These count and no others are asked for. */
    static InSyncSets inForce(List<InSyncMember> members) {
        return new InSyncSets(List.copyOf(members), null, NOT_RECORDED);
    }

    /** The set asked for last; null when none was. */
    @Nullable
    List<InSyncMember> target() {
        return next == null ? inForce : next.members();
    }

    /** How many replicas count. */
    int size() {
        return inForce == null ? 0 : inForce.size();
    }

    /** Whether the next set is in the log. */
    boolean isRecorded() {
        return next != null && factEnd != NOT_RECORDED;
    }

    /** Another set is asked for, in place of one that was. */
    InSyncSets proposed(SyncProposal proposal) {
        return new InSyncSets(inForce, proposal, NOT_RECORDED);
    }

    /** The fact of a set was appended, or was not; the word of a set that was replaced changes nothing. */
    InSyncSets recorded(SyncProposal.Outcome outcome) {
        if (next == null || next.number() != outcome.number()) {
            return this;
        }
        return new InSyncSets(inForce, outcome.endOffset() < 0 ? null : next, outcome.endOffset());
    }

    /** The next set counts from now on. */
    InSyncSets broughtIntoForce() {
        return next == null ? this : inForce(next.members());
    }
}
