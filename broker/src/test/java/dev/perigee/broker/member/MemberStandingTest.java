package dev.perigee.broker.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.group.GroupStanding;
import dev.perigee.raft.Role;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import dev.perigee.raft.member.Members.Place;
import dev.perigee.remoting.ManualClock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a member is to NameServers. */
final class MemberStandingTest {
    private final AtomicReference<GroupStanding> group = new AtomicReference<>();
    private final ManualClock clock = new ManualClock();
    private final MemberStanding standing = new MemberStanding(() -> group.get(), "b", true, clock);

    private void follows(Place place, boolean sure, String... ids) {
        List<Member> members =
                Stream.of(ids).map(id -> new Member(id, 1, id + ":1")).toList();
        group.set(new GroupStanding(
                Role.Kind.FOLLOWER,
                3,
                Optional.of("a"),
                false,
                false,
                false,
                Long.MAX_VALUE,
                sure,
                Members.ofVoters(members),
                place));
    }

    @Test
    void onlyAVoterThatLacksNothingSpeaksForTheTopics() {
        follows(Place.VOTER, true, "a", "b", "c");
        assertThat(standing.knowsTopics()).isTrue();
        assertThat(standing.isNoMember()).isFalse();
        follows(Place.VOTER, false, "a", "b", "c");
        assertThat(standing.knowsTopics()).as("is being filled").isFalse();
        follows(Place.LEARNER, true, "a", "b", "c");
        assertThat(standing.knowsTopics()).as("has a part of the log").isFalse();
        assertThat(standing.isNoMember()).isFalse();
        follows(Place.UNTOLD, true, "a", "b", "c");
        assertThat(standing.knowsTopics()).as("an empty log").isFalse();
        assertThat(standing.isNoMember()).as("the group begins").isFalse();
    }

    @Test
    void whoWasRemovedIsNoMember() {
        follows(Place.NONE, true, "a", "c");
        assertThat(standing.isNoMember()).isTrue();
        assertThat(standing.knowsTopics()).isFalse();
    }

    @Test
    void itsIdFollowsTheMembersThatTheLogTells() {
        follows(Place.VOTER, true, "a", "b", "c");
        assertThat(standing.brokerId()).isEqualTo(2);
        follows(Place.VOTER, true, "b", "c", "d");
        assertThat(standing.brokerId()).isEqualTo(1);
    }

    private void leads(int term, long inTouchUntilMs) {
        group.set(new GroupStanding(
                Role.Kind.LEADER,
                term,
                Optional.of("b"),
                true,
                true,
                true,
                inTouchUntilMs,
                true,
                Members.ofVoters(List.of(new Member("b", 1, "b:1"))),
                Place.VOTER));
    }

    /** Else NameServers would know no master until the next one has begun to serve. */
    @Test
    void aMasterThatIsOneNoMoreLeavesItsNameToTheNextForAWhile() {
        leads(3, Long.MAX_VALUE);
        assertThat(standing.leavesNameToNext()).as("does not serve yet").isFalse();
        standing.serve(3);
        assertThat(standing.leavesNameToNext()).isFalse();

        follows(Place.VOTER, true, "a", "b", "c");
        assertThat(standing.leavesNameToNext()).as("before anybody has noticed").isTrue();
        standing.serveNoMore();
        assertThat(standing.leavesNameToNext()).isTrue();
        clock.advanceMs(MemberStanding.NAME_KEPT_MS - 1);
        assertThat(standing.leavesNameToNext()).isTrue();
        clock.advanceMs(1);
        assertThat(standing.leavesNameToNext()).isFalse();
    }

    /** R7-02: who waits for a transfer waits for them. */
    @Test
    void dutiesAnswerWhatWasTakenUntilLeadershipIsHandedOver() {
        leads(3, Long.MAX_VALUE);
        standing.serve(3);
        standing.beginHandOver();
        assertThat(standing.takes()).isFalse();
        assertThat(standing.mayDecide()).isTrue();
        standing.decideNoMore();
        assertThat(standing.mayDecide()).isFalse();
        standing.endHandOver();
        assertThat(standing.takes()).isTrue();
        assertThat(standing.mayDecide()).isTrue();
    }

    /** R7-01: whoever was no master lately is asked by no client that takes it for one. */
    @Test
    void clientsTakeItForTheMasterForAWhile() {
        follows(Place.VOTER, true, "a", "b", "c");
        assertThat(standing.servedWithin(Long.MAX_VALUE / 4)).isFalse();
        leads(3, Long.MAX_VALUE);
        standing.serve(3);
        clock.advanceMs(100_000);
        assertThat(standing.servedWithin(1)).isTrue();
        standing.serveNoMore();
        clock.advanceMs(34_999);
        assertThat(standing.servedWithin(35_000)).isTrue();
        clock.advanceMs(1);
        assertThat(standing.servedWithin(35_000)).isFalse();
    }

    @Test
    void aMasterThatLeadsAgainOrHearsNobodyIsToldAsItIs() {
        leads(3, Long.MAX_VALUE);
        standing.serve(3);
        leads(3, clock.monotonicMs());
        assertThat(standing.serves()).as("no majority is heard").isFalse();
        assertThat(standing.leavesNameToNext()).isFalse();

        follows(Place.VOTER, true, "a", "b", "c");
        standing.serveNoMore();
        leads(5, Long.MAX_VALUE);
        standing.serve(5);
        assertThat(standing.leavesNameToNext()).isFalse();
        assertThat(standing.brokerId()).isZero();
    }
}
