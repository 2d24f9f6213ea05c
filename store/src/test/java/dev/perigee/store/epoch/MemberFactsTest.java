package dev.perigee.store.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.fact.Fact.MembersChanged;
import dev.perigee.protocol.fact.Fact.MembersChanged.GroupMember;
import dev.perigee.protocol.fact.FeatureLevel;
import dev.perigee.protocol.fact.LogHead;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who belongs to a group is a projection of the log (R15), which heads tell again (R30). */
final class MemberFactsTest {
    private static final GroupMember N0 = new GroupMember("n0", "a0", "h0:1");
    private static final GroupMember N1 = new GroupMember("n1", "a1", "h1:1");
    private static final MembersChanged ONE = new MembersChanged(List.of(N0), List.of());
    private static final MembersChanged TWO = new MembersChanged(List.of(N0), List.of(N1));
    private static final MembersChanged THREE = new MembersChanged(List.of(N0, N1), List.of());

    private static LogHead head(MemberFacts facts) {
        return new LogHead("a", 1, "b", 0, List.of(), 4096, null, null, facts.told());
    }

    @Test
    void otherFactsSayNothing() {
        MemberFacts facts = MemberFacts.NONE.with(ONE, 100);
        assertThat(facts.with(new FeatureLevel(1), 200)).isSameAs(facts);
        assertThat(facts.with(null, 200)).isSameAs(facts);
    }

    @Test
    void aCutTakesBackWhatStoodBehind() {
        MemberFacts facts = MemberFacts.NONE.with(ONE, 100).with(TWO, 200);
        assertThat(facts.cutTo(200)).isSameAs(facts);
        assertThat(facts.cutTo(199).last()).contains(new MemberFact(ONE, 100));
        assertThat(facts.cutTo(99)).isEqualTo(MemberFacts.NONE);
    }

    @Test
    void aRestatementChangesNothing() {
        MemberFacts facts = MemberFacts.NONE.with(ONE, 100).with(TWO, 200);
        assertThat(facts.with(head(facts), 4096)).isSameAs(facts);
    }

    @Test
    void aHeadTellsTheLastTwoForACutMayComeBackToTheOneBefore() {
        MemberFacts facts = MemberFacts.NONE.with(ONE, 100).with(TWO, 200).with(THREE, 300);
        MemberFacts fromHead = MemberFacts.NONE.with(head(facts), 4096);
        assertThat(fromHead.all()).containsExactly(new MemberFact(TWO, 200), new MemberFact(THREE, 300));
        assertThat(fromHead.cutTo(299).last()).contains(new MemberFact(TWO, 200));
    }

    @Test
    void aLogOfNoGroupTellsNothing() {
        assertThat(MemberFacts.NONE.told()).isNull();
        assertThat(MemberFacts.NONE.with(head(MemberFacts.NONE), 4096)).isSameAs(MemberFacts.NONE);
    }

    @Test
    void onlySoManyAreKept() {
        MemberFacts facts = MemberFacts.NONE;
        for (int i = 1; i <= MemberFacts.MAX_KEPT + 3; i++) {
            facts = facts.with(ONE, i);
        }
        assertThat(facts.all()).hasSize(MemberFacts.MAX_KEPT);
        assertThat(facts.lastEnd()).isEqualTo(MemberFacts.MAX_KEPT + 3);
    }

    @Test
    void newOnesAreThoseBehind() {
        MemberFacts facts = MemberFacts.NONE.with(ONE, 100).with(TWO, 200);
        assertThat(facts.behind(100)).containsExactly(new MemberFact(TWO, 200));
        assertThat(facts.behind(200)).isEmpty();
    }
}
