package dev.perigee.broker.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.group.GroupStanding;
import dev.perigee.protocol.header.raft.RaftOrderHeader;
import dev.perigee.raft.Role;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import dev.perigee.raft.member.Members.Place;
import dev.perigee.remoting.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** The end of a leadership before a stop, with a node and a clock that the test has. */
final class HandOverTest {
    private static final long LIMIT_MS = 5_000;
    private static final long GIVE_UP_MS = 1_000;

    private final ManualClock clock = new ManualClock();
    private final AtomicReference<GroupStanding> group = new AtomicReference<>(standing(Role.Kind.LEADER, "b"));
    private final MemberStanding standing = new MemberStanding(group::get, "b", true, clock);
    private final List<RaftOrderHeader> orders = new ArrayList<>();
    /** What the node answers to each order in turn; it takes the last one. */
    private final List<String> refusals = new ArrayList<>();

    private final PlannedTransfer transfer =
            new PlannedTransfer(standing, new OpenWrites(), Runnable::run, this::obey, () -> {}, GIVE_UP_MS);

    private static GroupStanding standing(Role.Kind role, String leader) {
        return new GroupStanding(
                role,
                3,
                leader.isEmpty() ? Optional.empty() : Optional.of(leader),
                role == Role.Kind.LEADER,
                role == Role.Kind.LEADER,
                role == Role.Kind.LEADER,
                Long.MAX_VALUE,
                true,
                Members.ofVoters(List.of(new Member("b", 1, "b:1"))),
                Place.VOTER);
    }

    private CompletableFuture<Optional<String>> obey(RaftOrderHeader order) {
        orders.add(order);
        if (refusals.isEmpty()) {
            group.set(standing(Role.Kind.FOLLOWER, "c"));
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return CompletableFuture.completedFuture(Optional.of(refusals.remove(0)));
    }

    private boolean until(BooleanSupplier reached) {
        for (int ms = 0; ms < LIMIT_MS; ms++) {
            if (reached.getAsBoolean()) {
                return true;
            }
            transfer.doWork(clock.monotonicMs());
            clock.advanceMs(1);
        }
        return false;
    }

    private HandOver handOver(boolean again) {
        standing.serve(3);
        return new HandOver(standing, transfer, Runnable::run, this::until, clock, again);
    }

    /** R7-06: a follower is just being started, or another transfer is under way. */
    @Test
    void anOrderThatIsRefusedIsGivenAgain() {
        refusals.addAll(List.of("no other voter is heard", "no other voter is heard"));

        assertThat(handOver(true).run()).isTrue();
        assertThat(orders).hasSize(3);
    }

    /** R7-15. */
    @Test
    void anOrderThatTheNodeRefusesHoldsNothingUp() {
        standing.serve(3);
        for (String to : List.of("b", "nobody")) {
            refusals.add(to + " is no other voter");
            CompletableFuture<Optional<String>> ordered =
                    transfer.order(new RaftOrderHeader(RaftOrderHeader.TRANSFER, to, null, null));
            assertThat(ordered).isCompleted();
            assertThat(ordered.join()).contains(to + " is no other voter");
            assertThat(standing.takes()).isTrue();
        }
    }

    @Test
    void itIsGivenUpInTime() {
        for (int i = 0; i < LIMIT_MS; i++) {
            refusals.add("no other voter is heard");
        }
        long beganMs = clock.monotonicMs();

        assertThat(handOver(true).run()).isFalse();
        assertThat(clock.monotonicMs() - beganMs).isLessThanOrEqualTo(2 * LIMIT_MS);
        assertThat(orders).hasSizeBetween(10, (int) (LIMIT_MS / HandOver.AGAIN_MS) + 1);
    }

    @Test
    void whoLeadsNoMoreAndIsRefusedDoesNotWait() {
        refusals.add("it is FOLLOWER, not the leader");
        standing.serve(3);
        HandOver over = handOver(true);
        group.set(standing(Role.Kind.CANDIDATE, ""));
        long beganMs = clock.monotonicMs();

        over.run();
        assertThat(clock.monotonicMs() - beganMs).isLessThan(LIMIT_MS);
    }
}
