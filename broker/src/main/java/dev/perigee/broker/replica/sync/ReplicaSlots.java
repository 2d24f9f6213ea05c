package dev.perigee.broker.replica.sync;

import dev.perigee.broker.replica.StreamLimits;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The replicas a master has heard of since its start, one slot for each broker id, at most {@link StreamLimits#REPLICAS}:
 * event loops put them in, the log loop reads them.
 */
@ThreadSafe
public final class ReplicaSlots {
    private volatile List<ReplicaSlot> slots = List.of();

    /** All of them, in the order in which they came. */
    public List<ReplicaSlot> all() {
        return slots;
    }

    /** The slot of a replica; empty when it never said hello. */
    public Optional<ReplicaSlot> of(InSyncMember member) {
        return slots.stream().filter(slot -> slot.member().equals(member)).findFirst();
    }

    /** The slot of a broker id, whichever node has it. */
    public Optional<ReplicaSlot> of(long brokerId) {
        return slots.stream()
                .filter(slot -> slot.member().brokerId() == brokerId)
                .findFirst();
    }

    /**
     * Begins a session: what an earlier one of the same broker id held counts no more. When the replica was heard does: who says
     * hello again and again without ever holding anything is silent.
     *
     * @return empty when there are too many replicas
     */
    // Guards the list: hellos of several replicas may come on several event loops, and are rare.
    public synchronized Optional<ReplicaSlot> join(InSyncMember member, long session, long nowMs) {
        long heardMs = of(member).map(ReplicaSlot::heardMs).orElse(nowMs);
        List<ReplicaSlot> others = new ArrayList<>(slots);
        others.removeIf(slot -> slot.member().brokerId() == member.brokerId());
        if (others.size() >= StreamLimits.REPLICAS) {
            return Optional.empty();
        }
        ReplicaSlot slot = new ReplicaSlot(member, session, heardMs);
        others.add(slot);
        slots = List.copyOf(others);
        return Optional.of(slot);
    }
}
