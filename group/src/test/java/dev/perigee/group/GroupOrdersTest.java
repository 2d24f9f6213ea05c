package dev.perigee.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What tools order, while the log loop that is to hear it stands still, as when a write hangs. */
final class GroupOrdersTest {
    private static final long STILL_MS = 20_000;

    @Test
    void anOrderThatTheLogDoesNotComeToIsRefusedAfterFiveSecondsAndNotCarriedOutLater() throws Exception {
        SteppedGroup group = SteppedGroup.began(41, 1);
        GroupNode leader = group.leader();
        leader.freeze(STILL_MS);

        CompletableFuture<Optional<String>> added = leader.group().orders().add("n7", 7, SteppedGroup.address(12_000));
        group.run(GroupOrders.LIMIT_MS - SteppedGroup.STEP_MS);
        assertThat(added).isNotDone();
        group.run(2 * SteppedGroup.STEP_MS);
        assertThat(added).isCompleted();
        assertThat(added.join().orElse("")).contains("within 5000 ms");

        group.run(STILL_MS);
        group.leader();
        assertThat(leader.standing().members().find("n7")).isEmpty();
        CompletableFuture<Optional<String>> again = leader.group().orders().add("n7", 7, SteppedGroup.address(12_000));
        group.await("an answer", again::isDone);
        assertThat(again.join()).isEmpty();
    }

    @Test
    void aPromotionOfWhoVotesOrIsNoMemberIsRefusedForThatAndNotForItsLog() throws Exception {
        SteppedGroup group = SteppedGroup.began(47, 3);
        GroupNode leader = group.leader();
        group.awaitLevel();

        assertThat(refusal(group, leader.group().orders().promote(leader.id())))
                .startsWith(leader.id() + " votes already: ");
        assertThat(refusal(group, leader.group().orders().promote("n7"))).startsWith("n7 is no member of ");
    }

    @Test
    void aTransferToWhoLeadsOrOnlyReceivesOrIsNoMemberIsRefusedForThat() throws Exception {
        SteppedGroup group = SteppedGroup.began(48, 3);
        GroupNode leader = group.leader();
        group.awaitLevel();
        GroupOrders orders = leader.group().orders();

        assertThat(refusal(group, orders.transfer(leader.id()))).isEqualTo(leader.id() + " leads already");
        assertThat(refusal(group, orders.transfer("n7"))).startsWith("n7 is no member of the group, which has n");
        group.order("added", () -> orders.add("n7", 7, SteppedGroup.address(12_000)));
        assertThat(refusal(group, orders.transfer("n7"))).isEqualTo("n7 only receives: it may lead when it votes");
    }

    private static String refusal(SteppedGroup group, CompletableFuture<Optional<String>> ordered) throws Exception {
        group.await("an answer", ordered::isDone);
        return ordered.join().orElse("");
    }

    /** R7-05: it would give leadership away again in a moment. */
    @Test
    void aMemberThatIsAboutToStopTakesNoLeadershipOver() throws Exception {
        SteppedGroup group = SteppedGroup.began(45, 3);
        GroupNode leader = group.leader();
        GroupNode stopping = group.others(leader).get(0);
        group.awaitLevel();
        stopping.group().resign();
        group.run(1_000);

        group.order("transferred", () -> leader.group().orders().transfer(stopping.id()));
        group.run(5_000);

        assertThat(leader.leads()).isTrue();
        assertThat(leader.standing().admits()).as("it goes on").isTrue();
        leader.kill();
        assertThat(group.leader()).as("the other one stands first").isNotEqualTo(stopping);
    }

    /** R8-04: the first one that would be chosen is about to stop. */
    @Test
    void aTransferThatWasDeclinedIsOfferedToTheOtherMemberNext() throws Exception {
        SteppedGroup group = SteppedGroup.began(46, 3);
        GroupNode leader = group.leader();
        List<GroupNode> others = group.others(leader);
        group.awaitLevel();
        others.get(0).group().resign();
        group.run(1_000);

        group.order("transferred", () -> leader.group().orders().transferToBest());
        group.await("given up", () -> leader.standing().admits());
        assertThat(leader.leads()).isTrue();
        group.order("transferred", () -> leader.group().orders().transferToBest());
        group.await("the other one leads", () -> others.get(1).leads());
    }

    @Test
    void moreOrdersThanMayWaitAreRefusedAtOnce() throws Exception {
        SteppedGroup group = SteppedGroup.began(42, 1);
        GroupNode leader = group.leader();
        leader.freeze(STILL_MS);

        List<CompletableFuture<Optional<String>>> orders = new ArrayList<>();
        for (int i = 0; i <= RaftInbox.MAX_ORDERS; i++) {
            orders.add(leader.group().orders().transferToBest());
        }

        assertThat(orders.subList(0, RaftInbox.MAX_ORDERS)).noneMatch(CompletableFuture::isDone);
        assertThat(orders.get(RaftInbox.MAX_ORDERS)).isCompleted();
        assertThat(orders.get(RaftInbox.MAX_ORDERS).join().orElse("")).contains("64 orders");

        group.run(STILL_MS + 1_000);
        assertThat(orders).allMatch(CompletableFuture::isDone);
        CompletableFuture<Optional<String>> next = leader.group().orders().transferToBest();
        group.await("an answer", next::isDone);
        assertThat(next.join().orElse("")).as("there is room again").contains("no other voter");
    }
}
