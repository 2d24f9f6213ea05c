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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node that leads and cannot serve is heard by all, so nobody else would be elected. */
final class LeadershipTest {
    private static final long PATIENCE_MS = 10_000;

    private final AtomicReference<GroupStanding> group = new AtomicReference<>();
    private final MemberStanding standing = new MemberStanding(() -> group.get(), "b", true, new ManualClock());
    private final AtomicInteger givenAway = new AtomicInteger();
    private boolean mayBegin;
    private Leadership leadership;

    @BeforeEach
    void make() {
        leadership = new Leadership(
                standing,
                () -> true,
                new Leadership.Steps() {
                    @Override
                    public boolean mayBegin() {
                        return mayBegin;
                    }

                    @Override
                    public void begin(Runnable begun) {
                        begun.run();
                    }

                    @Override
                    public void end() {
                        // Nothing was begun.
                    }
                },
                List.of(),
                givenAway::incrementAndGet,
                PATIENCE_MS);
    }

    private void is(Role.Kind role) {
        group.set(new GroupStanding(
                role,
                3,
                Optional.of("b"),
                true,
                role == Role.Kind.LEADER,
                role == Role.Kind.LEADER,
                Long.MAX_VALUE,
                true,
                Members.ofVoters(List.of(new Member("b", 1, "b:1"))),
                Place.VOTER));
    }

    @Test
    void whoLeadsAndDoesNotServeGivesThatAwayAgainAndAgain() {
        is(Role.Kind.LEADER);
        assertThat(leadership.doWork(0)).isZero();
        assertThat(leadership.nextDeadlineMs()).isEqualTo(PATIENCE_MS);
        leadership.doWork(PATIENCE_MS - 1);
        assertThat(givenAway).hasValue(0);
        leadership.doWork(PATIENCE_MS);
        assertThat(givenAway).hasValue(1);
        leadership.doWork(2 * PATIENCE_MS);
        assertThat(givenAway).hasValue(2);
    }

    @Test
    void whoServesOrFollowsHasNothingToGiveAway() {
        is(Role.Kind.LEADER);
        leadership.doWork(0);
        assertThat(standing.serves()).as("not before it may begin").isFalse();
        mayBegin = true;
        leadership.doWork(PATIENCE_MS - 1);
        assertThat(standing.serves()).isTrue();
        leadership.doWork(10 * PATIENCE_MS);
        is(Role.Kind.FOLLOWER);
        leadership.doWork(20 * PATIENCE_MS);
        assertThat(givenAway).hasValue(0);
        assertThat(leadership.nextDeadlineMs()).isEqualTo(Long.MAX_VALUE);
    }
}
