package dev.perigee.store.epoch;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.LogHead;
import dev.perigee.protocol.fact.ReplicasInSync;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The sets of replicas in sync that a log names, in its order: a projection of its facts (R15), which the head of each segment
 * tells again (R30). A value: changes give another one.
 */
@Immutable
public final class ReplicaSets {
    /** Of a log that names none. */
    public static final ReplicaSets NONE = new ReplicaSets(List.of());

    /** Older ones are forgotten: a cut that takes back all that are kept leaves a log that names none. */
    static final int MAX_KEPT = 1_024;

    private final List<ReplicaSet> sets;

    private ReplicaSets(List<ReplicaSet> sets) {
        this.sets = List.copyOf(sets);
    }

    /** One set that is known from elsewhere; what follows is folded in. */
    public static ReplicaSets of(Optional<ReplicaSet> set) {
        return set.map(known -> new ReplicaSets(List.of(known))).orElse(NONE);
    }

    /**
     * What a fact makes of them; this same one when it says nothing of replicas, or nothing new.
     *
     * @param endOffset the byte after the fact (exclusive)
     */
    public ReplicaSets with(@Nullable Fact fact, long endOffset) {
        if (fact instanceof ReplicasInSync named) {
            return add(new ReplicaSet(named.members(), endOffset));
        }
        if (fact instanceof LogHead head && head.inSync() != null) {
            ReplicaSet told =
                    new ReplicaSet(head.inSync().members(), head.inSync().factEnd());
            return told.factEnd() > last().map(ReplicaSet::factEnd).orElse(0L) ? add(told) : this;
        }
        return this;
    }

    private ReplicaSets add(ReplicaSet set) {
        List<ReplicaSet> grown = new ArrayList<>(sets.subList(Math.max(0, sets.size() + 1 - MAX_KEPT), sets.size()));
        grown.add(set);
        return new ReplicaSets(grown);
    }

    /** Of the log that ends at an offset: without the facts that reach beyond. */
    public ReplicaSets cutTo(long endOffset) {
        int kept = sets.size();
        while (kept > 0 && sets.get(kept - 1).factEnd() > endOffset) {
            kept--;
        }
        return kept == sets.size() ? this : new ReplicaSets(sets.subList(0, kept));
    }

    /** What the log says last; empty when it says nothing. */
    public Optional<ReplicaSet> last() {
        return sets.isEmpty() ? Optional.empty() : Optional.of(sets.get(sets.size() - 1));
    }

    /** The set before the last one; empty when it is not known. */
    public Optional<ReplicaSet> beforeLast() {
        return sets.size() < 2 ? Optional.empty() : Optional.of(sets.get(sets.size() - 2));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ReplicaSets named && named.sets.equals(sets);
    }

    @Override
    public int hashCode() {
        return sets.hashCode();
    }

    @Override
    public String toString() {
        return "ReplicaSets" + sets;
    }
}
