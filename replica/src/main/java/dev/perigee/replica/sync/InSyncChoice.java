package dev.perigee.replica.sync;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.replica.StreamLimits;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which replicas should be in sync, and how far enough of them hold the log. Answers from what it is shown; changes nothing. */
@OwnedBy("log loop")
final class InSyncChoice {
    private final ReplicationRules rules;
    private final ReplicaSlots slots;
    /** Scratch. */
    private final List<Long> heldOffsets = new ArrayList<>();

    InSyncChoice(ReplicationRules rules, ReplicaSlots slots) {
        this.rules = rules;
        this.slots = slots;
    }

    /**
     * Who should be in sync: members stay while they are heard and near, others come when they are nearer; and all of them hold what the
     * log held as long ago as silence is borne with, for one that is heard and holds nothing more keeps everybody waiting. None that is
     * restoring, or said that it stops.
     *
     * @param members who was asked for last; null for nobody
     */
    List<InSyncMember> wanted(@Nullable List<InSyncMember> members, long endOffset, long confirmOffset, long nowMs) {
        List<InSyncMember> wanted = new ArrayList<>();
        for (ReplicaSlot slot : slots.all()) {
            boolean member = members != null && members.contains(slot.member());
            boolean fits = member ? isNear(slot, endOffset) : hasCaughtUp(slot, confirmOffset);
            if (fits && !slot.isRestoring() && !slot.isLeaving() && isInTime(slot, endOffset, nowMs)) {
                wanted.add(slot.member());
            }
        }
        Collections.sort(wanted);
        return wanted;
    }

    private boolean isInTime(ReplicaSlot slot, long endOffset, long nowMs) {
        return nowMs - slot.heardMs() <= rules.maxSilenceMs() && slot.lagMs(endOffset, nowMs) <= rules.maxSilenceMs();
    }

    /** One that said hello anew and did not say yet what it holds is given the time that silence is given. */
    private boolean isNear(ReplicaSlot slot, long endOffset) {
        return slot.heldOffset() == ReplicaSlot.UNKNOWN || endOffset - slot.heldOffset() <= rules.maxGapBytes();
    }

    /** Less than a window behind: it will hold the fact soon, and counts only then. */
    private boolean hasCaughtUp(ReplicaSlot slot, long confirmOffset) {
        return slot.isConnected()
                && slot.heldOffset() != ReplicaSlot.UNKNOWN
                && confirmOffset - slot.heldOffset() < Math.min(StreamLimits.WINDOW_BYTES, rules.maxGapBytes());
    }

    /** Up to where at least so many of these replicas hold everything; without a limit for none. */
    long heldByAny(List<InSyncMember> members, int count) {
        if (count == 0) {
            return Long.MAX_VALUE;
        }
        heldOffsets.clear();
        for (InSyncMember member : members) {
            heldOffsets.add(slots.of(member)
                    .filter(slot -> !slot.isRestoring())
                    .map(ReplicaSlot::heldOffset)
                    .orElse(ReplicaSlot.UNKNOWN));
        }
        heldOffsets.sort(Collections.reverseOrder());
        return heldOffsets.get(count - 1);
    }

    /** Up to where all of these hold everything; without a limit for none. */
    long heldByAll(List<InSyncMember> members) {
        return heldByAny(members, members.size());
    }

    /** When the next replica becomes silent, or holds nothing more for as long, monotonic milliseconds. */
    long nextSilenceMs(long endOffset, long nowMs) {
        long lookMs = Long.MAX_VALUE;
        for (ReplicaSlot slot : slots.all()) {
            long silentMs = slot.heardMs() + rules.maxSilenceMs() + 1;
            long lateMs = nowMs - slot.lagMs(endOffset, nowMs) + rules.maxSilenceMs() + 1;
            lookMs = silentMs > nowMs ? Math.min(lookMs, silentMs) : lookMs;
            lookMs = lateMs > nowMs ? Math.min(lookMs, lateMs) : lookMs;
        }
        return lookMs;
    }
}
