package dev.perigee.raft.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class MembersTest {
    private static final Members THREE = voters(3);

    private static Members voters(int count) {
        return Members.ofVoters(
                IntStream.range(0, count).mapToObj(MembersTest::member).toList());
    }

    private static Member member(int number) {
        return new Member("n" + number, 100 + number, "h:" + number);
    }

    /** Thesis §4.1: of the members before and after a change of one node, any two majorities share a voter. */
    @Test
    void anyMajorityBeforeAChangeSharesAVoterWithAnyAfterIt() {
        SplittableRandom chance = new SplittableRandom(3);
        Members now = THREE;
        for (int round = 0; round < 300; round++) {
            int number = chance.nextInt(7);
            String id = "n" + number;
            List<MembersChange> changes = List.of(
                    new MembersChange.Add(member(number)), new MembersChange.Promote(id), new MembersChange.Remove(id));
            MembersChange change = changes.get(chance.nextInt(changes.size()));
            if (change.refusal(now).isEmpty()) {
                Members after = change.appliedTo(now);
                assertThat(leastShared(now, after)).as("%s to %s", now, after).isPositive();
                now = after;
            }
        }
    }

    /** How many voters a majority of the ones and one of the others share at least, when both avoid each other. */
    private static int leastShared(Members before, Members after) {
        List<String> one = before.voters().stream().map(Member::id).toList();
        List<String> other = after.voters().stream().map(Member::id).toList();
        List<String> all = new ArrayList<>(one);
        other.stream().filter(id -> !one.contains(id)).forEach(all::add);
        int least = Integer.MAX_VALUE;
        for (int chosen = 0; chosen < 1 << all.size(); chosen++) {
            int set = chosen;
            List<String> in = IntStream.range(0, all.size())
                    .filter(i -> (set & (1 << i)) != 0)
                    .mapToObj(all::get)
                    .toList();
            boolean isMajority = 2 * in.stream().filter(one::contains).count() > one.size();
            if (isMajority) {
                long outside = other.stream().filter(id -> !in.contains(id)).count();
                int needed = other.size() / 2 + 1;
                least = (int) Math.min(least, Math.max(0, needed - outside));
            }
        }
        return least;
    }

    @Test
    void whatMakesNoSenseIsRefusedByName() {
        Members withLearner = THREE.withLearner(member(7));

        assertThat(new MembersChange.Add(member(1)).refusal(THREE))
                .hasValueSatisfying(text -> assertThat(text).contains("n1 is a member already"));
        assertThat(new MembersChange.Add(new Member("n8", 0, "h")).refusal(THREE))
                .hasValueSatisfying(text -> assertThat(text).contains("node id"));
        assertThat(new MembersChange.Promote("n1").refusal(withLearner))
                .hasValueSatisfying(text -> assertThat(text).contains("n1 votes already"));
        assertThat(new MembersChange.Promote("n9").refusal(withLearner))
                .hasValueSatisfying(text -> assertThat(text).contains("n9 is no member"));
        assertThat(new MembersChange.Promote("n7").refusal(withLearner)).isEmpty();
        assertThat(new MembersChange.Remove("n7").refusal(withLearner)).isEmpty();
        assertThat(new MembersChange.Remove("n9").refusal(withLearner))
                .hasValueSatisfying(text -> assertThat(text).contains("n9 is no member"));
        assertThat(new MembersChange.Remove("n0").refusal(voters(1)))
                .hasValueSatisfying(text -> assertThat(text).contains("last voter"));
        assertThat(new MembersChange.Add(member(40)).refusal(voters(Members.MAX_MEMBERS)))
                .hasValueSatisfying(text -> assertThat(text).contains("32"));
    }

    @Test
    void anIdStandsThereOnce() {
        assertThatThrownBy(() -> Members.ofVoters(List.of(member(1), member(1))))
                .hasMessageContaining("n1");
        assertThatThrownBy(() -> THREE.withLearner(member(2))).hasMessageContaining("n2");
        assertThatThrownBy(() -> Members.ofVoters(List.of())).hasMessageContaining("at least one voter");
        assertThatThrownBy(() -> voters(Members.MAX_MEMBERS + 1)).hasMessageContaining("at most 32");
    }

    @Test
    void aRestatementChangesNothingAndACutTakesBack() {
        Membership membership = new Membership(voters(1), List.of(new MembersFact(THREE, 50)));
        Members four = THREE.withLearner(member(4));

        membership.add(new MembersFact(voters(2), 50), 0);
        assertThat(membership.members()).isEqualTo(THREE);
        membership.add(new MembersFact(four, 80), 0);
        assertThat(membership.current()).isEqualTo(new MembersFact(four, 80));
        membership.cutTo(79);
        assertThat(membership.members()).isEqualTo(THREE);
        membership.cutTo(0);
        assertThat(membership.current()).isEqualTo(new MembersFact(voters(1), 0));
    }

    @Test
    void itIsKnownWhenSomebodyWasLeftOutLastAndOfTheTimeBeforeItsStartThatMayBeJustThen() {
        Membership begun = new Membership(THREE, List.of());
        begun.add(new MembersFact(THREE, 50), 300);
        assertThat(begun.leftOutAwakeMs()).as("never").isNegative();

        Membership membership = new Membership(THREE, List.of(new MembersFact(THREE, 50)));
        assertThat(membership.leftOutAwakeMs()).isZero();
        membership.add(new MembersFact(THREE.withLearner(member(4)), 70), 400);
        assertThat(membership.leftOutAwakeMs()).as("one is added").isZero();
        membership.add(new MembersFact(THREE.without("n0"), 80), 500);
        membership.add(new MembersFact(THREE.without("n0"), 90), 600);
        assertThat(membership.leftOutAwakeMs()).isEqualTo(500);
    }

    @Test
    void whoIsRemovedMayLeadUntilThatIsConfirmed() {
        Membership membership = new Membership(THREE, List.of(new MembersFact(THREE, 50)));
        membership.add(new MembersFact(THREE.without("n0"), 80), 0);

        assertThat(membership.mayLead("n0", 100, 79)).isTrue();
        assertThat(membership.mayLead("n0", 100, 80)).isFalse();
        assertThat(membership.mayLead("n1", 101, 80)).isTrue();
        assertThat(membership.mayLead("n1", 999, 80)).as("of another folder").isFalse();
        assertThat(membership.mayLead("n9", 109, 0)).isFalse();
    }

    @Test
    void settingsThatNameNoFolderLetNobodyLeadWhoseFolderTheFirstFactDoesNotName() {
        Members settings = Members.ofVoters(
                List.of(new Member("n0", 0, "h:1"), new Member("n1", 0, "h:2"), new Member("n2", 0, "h:3")));
        Membership membership = new Membership(settings, List.of(new MembersFact(THREE, 50)));

        assertThat(membership.mayLead("n1", 101, 0)).isTrue();
        assertThat(membership.mayLead("n1", 999, 0)).as("of another folder").isFalse();
    }
}
