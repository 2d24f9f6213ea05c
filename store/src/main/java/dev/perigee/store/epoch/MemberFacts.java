package dev.perigee.store.epoch;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.Fact.MembersChanged;
import dev.perigee.protocol.fact.LogHead;
import dev.perigee.protocol.fact.LogHead.MembersTold;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The members of a group of brokers that a log names, in its order: a projection of its facts (R15), which the head of each segment
 * tells again (R30). A value: changes give another one.
 */
@Immutable
public final class MemberFacts {
    /** Of a log that names none. */
    public static final MemberFacts NONE = new MemberFacts(List.of());

    /** Older ones are forgotten: each waits for the one before to be confirmed, so a cut takes back one at most. */
    static final int MAX_KEPT = 64;

    private static final int TOLD_AGAIN = 2;

    private final List<MemberFact> facts;

    private MemberFacts(List<MemberFact> facts) {
        this.facts = List.copyOf(facts);
    }

    /** Some that are known from elsewhere, in the order of the log; what follows is folded in. */
    public static MemberFacts of(List<MemberFact> facts) {
        return new MemberFacts(facts.subList(Math.max(0, facts.size() - MAX_KEPT), facts.size()));
    }

    /**
     * What a fact makes of them; this same one when it says nothing of members, or nothing new.
     *
     * @param endOffset the byte after the fact (exclusive)
     */
    public MemberFacts with(@Nullable Fact fact, long endOffset) {
        if (fact instanceof MembersChanged changed) {
            return add(new MemberFact(changed, endOffset));
        }
        MemberFacts grown = this;
        if (fact instanceof LogHead head && head.group() != null) {
            for (MembersTold told : head.group()) {
                grown = grown.add(new MemberFact(new MembersChanged(told.voters(), told.learners()), told.factEnd()));
            }
        }
        return grown;
    }

    private MemberFacts add(MemberFact fact) {
        if (fact.factEnd() <= lastEnd()) {
            return this;
        }
        List<MemberFact> grown = new ArrayList<>(facts);
        grown.add(fact);
        return of(grown);
    }

    /** Of the log that ends at an offset: without the facts that reach beyond. */
    public MemberFacts cutTo(long endOffset) {
        int kept = facts.size();
        while (kept > 0 && facts.get(kept - 1).factEnd() > endOffset) {
            kept--;
        }
        return kept == facts.size() ? this : new MemberFacts(facts.subList(0, kept));
    }

    /** All that are known, in the order of the log. */
    public List<MemberFact> all() {
        return facts;
    }

    /** Those that end behind an offset. */
    public List<MemberFact> behind(long endOffset) {
        return facts.stream().filter(fact -> fact.factEnd() > endOffset).toList();
    }

    /** What the log says last; empty when it says nothing. */
    public Optional<MemberFact> last() {
        return facts.isEmpty() ? Optional.empty() : Optional.of(facts.get(facts.size() - 1));
    }

    /** Where the last one ends; 0 when there is none. */
    public long lastEnd() {
        return facts.isEmpty() ? 0 : facts.get(facts.size() - 1).factEnd();
    }

    /** What a head tells again: the last one and the one before, to which a cut may come back; null when there is none. */
    public @Nullable List<MembersTold> told() {
        if (facts.isEmpty()) {
            return null;
        }
        return facts.subList(Math.max(0, facts.size() - TOLD_AGAIN), facts.size()).stream()
                .map(fact ->
                        new MembersTold(fact.members().voters(), fact.members().learners(), fact.factEnd()))
                .toList();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MemberFacts named && named.facts.equals(facts);
    }

    @Override
    public int hashCode() {
        return facts.hashCode();
    }

    @Override
    public String toString() {
        return "MemberFacts" + facts;
    }
}
