package dev.perigee.replica.sync;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.replica.StreamLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

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
     * @param isTaken whether another one has the broker id or the node id for certain, so that it is not this one's
     */
    public record Refused(String reason, boolean isTaken) implements JoinResult {}

    /**
     * A replica that says hello.
     *
     * @param session the number of the connection
     * @param run the number of its process
     * @param restoring whether it may have forgotten what it held, and so counts for nothing in this session
     * @param from where it comes from
     */
    public record Candidate(InSyncMember member, long session, long run, boolean restoring, String from) {}

    /** A replica that streams says something six times as often: heard within this time, milliseconds, it is there. */
    static final long THERE_MS = 3_000;

    private static final String COPY =
            "one of the two folders is a copy: delete the file node-id in the copy while its broker is stopped";

    private volatile List<ReplicaSlot> slots = List.of();
    private volatile Consumer<ReplicaSlot> onHeld = slot -> {};
    private volatile Supplier<List<InSyncMember>> counting = List::of;

    /** Names who is told on an event loop that a replica said what it holds; must not block. Before the first one joins. */
    public void onHeld(Consumer<ReplicaSlot> listener) {
        onHeld = listener;
    }

    /**
     * Names who knows which replicas count: of the others those that are gone make room, and the node id of one that counts is nobody
     * else's. Before the first one joins.
     */
    public void keep(Supplier<List<InSyncMember>> whoCounts) {
        counting = whoCounts;
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
     * a node id that another broker id has, or another process that is there, for one of the two has a copied folder (R6), and one replica
     * too many: looking and taking are one step, so that of two nodes that ask at once one gets the id.
     */
    // Guards the list: hellos of several replicas may come on several event loops, and are rare.
    public synchronized JoinResult join(Candidate asking, long nowMs) {
        InSyncMember member = asking.member();
        for (ReplicaSlot slot : slots) {
            Optional<Refused> objection = objection(slot, asking, nowMs);
            if (objection.isPresent()) {
                return objection.get();
            }
        }
        Optional<InSyncMember> renamed = counting.get().stream()
                .filter(one -> one.nodeId().equals(member.nodeId()) && one.brokerId() != member.brokerId())
                .findFirst();
        if (renamed.isPresent()) {
            return new Refused(
                    "node " + member.nodeId() + " is in sync as brokerId "
                            + renamed.get().brokerId() + ", and " + asking.from() + " comes with it as brokerId "
                            + member.brokerId() + ": it is taken in when that one has left the set, unless " + COPY,
                    false);
        }
        long heardMs = of(member).map(ReplicaSlot::heardMs).orElse(nowMs);
        List<ReplicaSlot> others = new ArrayList<>(slots);
        others.removeIf(slot -> slot.member().brokerId() == member.brokerId());
        if (others.size() >= StreamLimits.REPLICAS && !makeRoom(others)) {
            return new Refused("too many replicas: " + StreamLimits.REPLICAS + " are known", false);
        }
        ReplicaSlot slot = new ReplicaSlot(asking, heardMs, onHeld);
        others.add(slot);
        slots = List.copyOf(others);
        return new Joined(slot);
    }

    /** The slot that another process over the same folder, or its copy, has over an open connection; one that is silent does not count. */
    public Optional<ReplicaSlot> twinOf(Candidate asking, long nowMs) {
        return slots.stream()
                .filter(slot -> slot.member().nodeId().equals(asking.member().nodeId()))
                .filter(slot -> slot.isConnected() && slot.run() != asking.run() && nowMs - slot.heardMs() <= THERE_MS)
                .findFirst();
    }

    /** Why a replica is not taken in beside one that is known. */
    private static Optional<Refused> objection(ReplicaSlot slot, Candidate asking, long nowMs) {
        InSyncMember holder = slot.member();
        InSyncMember member = asking.member();
        boolean isSameId = holder.brokerId() == member.brokerId();
        boolean isSameNode = holder.nodeId().equals(member.nodeId());
        if (!slot.isConnected() || (!isSameId && !isSameNode)) {
            return Optional.empty();
        }
        if (!isSameNode) {
            return refused(
                    "brokerId " + member.brokerId() + " is used by node " + holder.nodeId() + " (" + slot.from()
                            + "), and node " + member.nodeId() + " (" + asking.from() + ") asks for it",
                    true);
        }
        if (!isSameId) {
            return refused(
                    "node " + member.nodeId() + " is brokerId " + holder.brokerId() + " (" + slot.from()
                            + ") and brokerId " + member.brokerId() + " (" + asking.from() + "): " + COPY,
                    true);
        }
        if (slot.run() == asking.run() || nowMs - slot.heardMs() > THERE_MS) {
            return Optional.empty();
        }
        return refused(
                "brokerId " + member.brokerId() + " (node " + member.nodeId() + ") is there twice, " + slot.from()
                        + " and " + asking.from() + ": " + COPY,
                slot.isHeardAfterContest(nowMs));
    }

    private static Optional<Refused> refused(String reason, boolean isTaken) {
        return Optional.of(new Refused(reason, isTaken));
    }

    /** The one that came first of those that are gone and count for nothing leaves. */
    private boolean makeRoom(List<ReplicaSlot> others) {
        Optional<ReplicaSlot> gone = others.stream()
                .filter(slot -> !slot.isConnected() && !counting.get().contains(slot.member()))
                .findFirst();
        gone.ifPresent(others::remove);
        return gone.isPresent();
    }
}
