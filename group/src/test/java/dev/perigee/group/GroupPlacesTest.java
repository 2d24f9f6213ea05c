package dev.perigee.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.group.GroupStanding.FedMember;
import dev.perigee.raft.member.Members.Place;
import org.junit.jupiter.api.Test;

/** Where members are, and which of two that say they are one. */
final class GroupPlacesTest {
    private static final int ANOTHER_PORT = 12_000;

    @Test
    void aCopyOfAFolderIsNotFedBesideTheOneItIsACopyOf() throws Exception { // R6
        SteppedGroup group = SteppedGroup.began(21, 3);
        GroupNode leader = group.leader();
        GroupNode first = group.others(leader).get(0);
        GroupNode third = group.others(leader).get(1);
        group.awaitLevel();
        GroupNode copy = group.another(first.id(), first.port);
        first.kill();
        copy.copy(first);
        first.open();
        long before = leader.log().endOffset();
        leader.send(1);
        group.await("that it is fed", () -> first.log().endOffset() > before);
        group.awaitLevel();

        first.deaf(); // what the leader says to it comes to the copy from now on; its own connections stay
        copy.open();
        third.kill(); // who is fed counts
        group.run(500);
        leader.send(100);
        group.await("an acknowledgement", () -> leader.acknowledged.size() == 2);

        assertThat(first.log().endOffset()).isEqualTo(leader.log().endOffset());
        assertThat(copy.log().endOffset()).isLessThan(leader.log().endOffset());
        group.await("that the copy is to stop", () -> copy.refused != null);
        assertThat(copy.refused).contains("two processes", Long.toHexString(first.nodeId()));
        first.kill(); // now the copy is the only one of that name
        third.open();
        group.awaitLevel();
    }

    @Test
    void aMemberIsReachedWhereItWasAddedAnewThoughItsFormerMachineNeverSaidThatItIsGone() throws Exception {
        SteppedGroup group = SteppedGroup.began(22, 3);
        GroupNode leader = group.leader();
        GroupNode former = group.others(leader).get(0);
        group.awaitLevel();
        former.freeze(1_000_000);
        group.nodes.remove(former);
        GroupNode moved = group.another(former.id(), ANOTHER_PORT);
        moved.open();
        long nodeId = moved.nodeId();

        group.order("removed", () -> leader.group().orders().remove(former.id()));
        group.order(
                "added", () -> leader.group().orders().add(former.id(), nodeId, SteppedGroup.address(ANOTHER_PORT)));
        long addedMs = group.passedMs();
        group.await("that it is fed", () -> moved.log().endOffset() > 0);

        assertThat(group.passedMs() - addedMs).isLessThanOrEqualTo(1_000);
        group.order("promoted", () -> leader.group().orders().promote(moved.id()));
        group.awaitLevel();
    }

    @Test
    void whoWasRemovedHasWhatSaysSoAndIsThenFedNoMoreAndKnowsNoLeader() throws Exception { // thesis 4.2.2
        SteppedGroup group = SteppedGroup.began(31, 3);
        GroupNode leader = group.leader();
        GroupNode leaves = group.others(leader).get(0);
        group.awaitLevel();

        group.order("removed", () -> leader.group().orders().remove(leaves.id()));
        group.await("that it knows", () -> leaves.standing().place() == Place.NONE);
        group.run(GroupFeeds.Parting.LAST_WORDS_MS + 1_000);
        long has = leaves.log().endOffset();
        leader.send(100);
        group.await("an acknowledgement", () -> leader.acknowledged.size() == 1);
        group.run(1_000);

        assertThat(leaves.log().endOffset())
                .isEqualTo(has)
                .isLessThan(leader.log().endOffset());
        assertThat(leaves.standing().leaderId()).isEmpty();
    }

    /** Whether a broker is known to NameServers, and speaks for topics there, goes by this. */
    @Test
    void eachNodeKnowsFromItsLogWhetherItBelongsToTheGroup() throws Exception {
        SteppedGroup group = SteppedGroup.began(29, 3);
        GroupNode leader = group.leader();
        GroupNode leaves = group.others(leader).get(0);
        GroupNode more = group.another("n3", ANOTHER_PORT);
        more.open();
        group.await("level", () -> leaves.log().confirmOffset() == leader.log().endOffset());
        assertThat(leaves.standing().place()).isEqualTo(Place.VOTER);
        assertThat(more.standing().place()).as("an empty log tells nothing").isEqualTo(Place.UNTOLD);

        long nodeId = more.nodeId();
        group.order("added", () -> leader.group().orders().add("n3", nodeId, SteppedGroup.address(ANOTHER_PORT)));
        group.await("that it knows", () -> more.standing().place() == Place.LEARNER);
        long end = leader.log().endOffset();
        group.await("that it holds all", () -> fed(leader, "n3").heldOffset() >= end);
        assertThat(fed(leader, "n3").counts()).isFalse();
        assertThat(fed(leader, leaves.id()).counts()).isTrue();
        group.order("promoted", () -> leader.group().orders().promote("n3"));
        group.await("that it votes", () -> more.standing().place() == Place.VOTER);
        assertThat(fed(leader, "n3").counts()).isTrue();
        assertThat(fed(leader, "n3").lagMs()).isZero();
        group.order("removed", () -> leader.group().orders().remove(leaves.id()));
        group.await("that it knows", () -> leaves.standing().place() == Place.NONE);
        assertThat(more.standing().members().find(leaves.id())).isEmpty();
    }

    private static FedMember fed(GroupNode leader, String id) {
        return leader.group().fedMembers().stream()
                .filter(member -> member.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whoFillsItselfAnewFindsALeaderThatItsSettingsDoNotName() throws Exception { // R21
        SteppedGroup group = SteppedGroup.began(23, 3);
        GroupNode leader = group.leader();
        GroupNode more = group.another("n3", ANOTHER_PORT);
        more.open();
        long nodeId = more.nodeId();
        group.order("added", () -> leader.group().orders().add("n3", nodeId, SteppedGroup.address(ANOTHER_PORT)));
        group.order("promoted", () -> leader.group().orders().promote("n3"));
        group.awaitLevel();
        group.order("handed over", () -> leader.group().orders().transfer("n3"));
        group.await("that it leads", () -> more.standing().admits());
        GroupNode away = group.others(more).get(0);
        away.kill();
        for (int i = 0; i < 300; i++) {
            more.send(1_000);
        }
        group.await("acknowledgements without it", () -> more.acknowledged.size() == 300);
        more.log().trimTo(2L * GroupNode.SEGMENT_BYTES);

        away.open();
        group.await("that it is to stop", () -> away.tooOld != null);
        away.kill();
        away.open();

        group.await("that it is sure", () -> away.standing().sure());
        group.awaitLevel();
    }

    @Test
    void aMemberOfAnotherGroupIsPassedOverAndItsFolderRefused() throws Exception {
        SteppedGroup group = SteppedGroup.began(24, 3);
        GroupNode node = group.others(group.leader()).get(0);
        group.awaitLevel();
        node.kill();
        GroupNode stranger = group.another("n9", ANOTHER_PORT);
        stranger.copy(node);

        assertThatThrownBy(stranger::open)
                .hasMessageContaining("cluster/broker-a/" + node.id())
                .hasMessageContaining("cluster/broker-a/n9");
    }
}
