package dev.perigee.replica.sync;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.replica.StreamLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The replicas a master has heard of since its start, one slot for each broker id, at most {@link StreamLimits#REPLICAS}:
 * event loops put them in, the log loop reads them.
 */
@ThreadSafe
public final class ReplicaSlots {
    /** What became of a hello. */
    public sealed interface JoinResult permits Joined, Refused {}

    /** The session has begun, with a slot of its own. */
    public record Joined(ReplicaSlot slot) implements JoinResult {}

    /**
     * Nothing was changed.
     *
     * @param reason names both sides' values
     * @param isIdTaken whether another node has the broker id, so that it is not this one's
     */
    public record Refused(String reason, boolean isIdTaken) implements JoinResult {}

    private volatile List<ReplicaSlot> slots = List.of();
    private volatile Consumer<ReplicaSlot> onHeld = slot -> {};
    private volatile Predicate<InSyncMember> needed = member -> true;

    /** Names who is told on an event loop that a replica said what it holds; must not block. Before the first one joins. */
    public void onHeld(Consumer<ReplicaSlot> listener) {
        onHeld = listener;
    }

    /** Names who knows which replicas count; of the others those that are gone make room. Before the first one joins. */
    public void keep(Predicate<InSyncMember> counting) {
        needed = counting;
    }

    /** All of them, in the order in which they came. */
    public List<ReplicaSlot> all() {
        return slots;
    }

    /** The slot of a replica; empty when it never said hello. */
    public Optional<ReplicaSlot> of(InSyncMember member) {
        return slots.stream().filter(slot -> slot.member().equals(member)).findFirst();
    }

    /** A replica that has not come yet is to be waited for as if it had been heard now; one that has come stays as it is. */
    // Guards the list, as below.
    public synchronized void expect(InSyncMember member, long nowMs) {
        boolean isFree = slots.stream().noneMatch(slot -> slot.member().brokerId() == member.brokerId());
        if (isFree && slots.size() < StreamLimits.REPLICAS) {
            List<ReplicaSlot> more = new ArrayList<>(slots);
            more.add(ReplicaSlot.expected(member, nowMs));
            slots = List.copyOf(more);
        }
    }

    /**
     * Begins a session: what an earlier one of the same broker id held counts no more. When the replica was heard does: who says
     * hello again and again without ever holding anything is silent. Refused are a broker id that another node uses over an open connection,
     * and one replica too many: looking and taking are one step, so that of two nodes that ask at once one gets the id.
     */
    // Guards the list: hellos of several replicas may come on several event loops, and are rare.
    public synchronized JoinResult join(InSyncMember member, long session, boolean restoring, long nowMs) {
        for (ReplicaSlot slot : slots) {
            InSyncMember holder = slot.member();
            if (holder.brokerId() == member.brokerId() && slot.isConnected() && !holder.equals(member)) {
                return new Refused(
                        "brokerId " + member.brokerId() + " is used by node " + holder.nodeId() + ", and node "
                                + member.nodeId() + " asks for it",
                        true);
            }
        }
        long heardMs = of(member).map(ReplicaSlot::heardMs).orElse(nowMs);
        List<ReplicaSlot> others = new ArrayList<>(slots);
        others.removeIf(slot -> slot.member().brokerId() == member.brokerId());
        if (others.size() >= StreamLimits.REPLICAS && !makeRoom(others)) {
            return new Refused("too many replicas: " + StreamLimits.REPLICAS + " are known", false);
        }
        ReplicaSlot slot = new ReplicaSlot(member, session, restoring, heardMs, onHeld);
        others.add(slot);
        slots = List.copyOf(others);
        return new Joined(slot);
    }

    /** The one that came first of those that are gone and count for nothing leaves. */
    private boolean makeRoom(List<ReplicaSlot> others) {
        Optional<ReplicaSlot> gone = others.stream()
                .filter(slot -> !slot.isConnected() && !needed.test(slot.member()))
                .findFirst();
        gone.ifPresent(others::remove);
        return gone.isPresent();
    }
}
