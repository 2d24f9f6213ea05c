package dev.perigee.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may not be the member that its settings say hears so when it starts, and nobody else stops for it. */
final class GroupStartTest {
    private static final int ANOTHER_PORT = 12_000;

    private static String hex(GroupNode node) throws Exception {
        return Long.toHexString(node.nodeId());
    }

    private static void assertNobodyElseIsRefused(SteppedGroup group, GroupNode one) {
        assertThat(group.others(one))
                .allSatisfy(node -> assertThat(node.refused).isNull());
    }

    @Test
    void aFolderThatIsAnotherOneThanTheMembersIsRefusedUntilThatOneIsRemoved() throws Exception { // R6
        SteppedGroup group = SteppedGroup.began(31, 3);
        GroupNode leader = group.leader();
        GroupNode wiped = group.others(leader).get(0);
        String before = hex(wiped);
        group.awaitLevel();
        wiped.kill();
        wiped.wipe();
        wiped.open();

        group.await("that it is to stop", () -> wiped.refused != null);
        assertThat(wiped.refused).contains(wiped.id(), before, hex(wiped), "perigee raft remove broker-a");
        assertNobodyElseIsRefused(group, wiped);

        wiped.kill();
        group.order("removed", () -> leader.group().orders().remove(wiped.id()));
        wiped.open();
        group.run(5_000);
        assertThat(wiped.refused).as("it waits to be added").isNull();
        long nodeId = wiped.nodeId();
        group.order("added", () -> leader.group().orders().add(wiped.id(), nodeId, SteppedGroup.address(wiped.port)));
        group.awaitLevel();
        assertThat(wiped.refused).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCopyOfAMembersFolderIsRefusedBesideIt(boolean ofTheLeader) throws Exception { // R6
        SteppedGroup group = SteppedGroup.began(32, 3);
        GroupNode member = group.others(group.leader()).get(0);
        group.awaitLevel();
        member.kill();
        GroupNode copy = group.another(member.id(), ANOTHER_PORT);
        copy.copy(member);
        member.open();
        group.awaitLevel();
        if (ofTheLeader) {
            GroupNode leader = group.leader();
            group.order("handed over", () -> leader.group().orders().transfer(member.id()));
            group.await("that it leads", () -> member.standing().established());
        }

        copy.open();
        group.await("that it is to stop", () -> copy.refused != null);

        assertThat(copy.refused).contains("two processes", "node " + hex(member));
        assertNobodyElseIsRefused(group, copy);
        copy.kill();
        group.awaitLevel();
    }

    /** Its machine lost power: nobody was told that its connections are gone. */
    @Test
    void whoIsStartedAgainIsNotTakenForASecondOne() throws Exception {
        SteppedGroup group = SteppedGroup.began(33, 3);
        GroupNode before = group.others(group.leader()).get(0);
        group.awaitLevel();
        before.freeze(1_000_000);
        before.deaf();
        group.nodes.remove(before);
        GroupNode again = group.another(before.id(), before.port);
        again.copy(before);

        again.open();
        group.leader().send(10);
        group.awaitLevel();

        assertThat(again.refused).isNull();
    }

    @Test
    void whoTakesTheMembersOfAnotherGroupForItsPeersIsRefusedNamingBoth() throws Exception {
        SteppedGroup group = SteppedGroup.began(34, 3);
        GroupNode leader = group.leader();
        List<GroupConfig.Peer> peers = new ArrayList<>();
        for (GroupNode node : group.nodes) {
            peers.add(new GroupConfig.Peer(node.id(), SteppedGroup.address(node.port)));
        }
        peers.add(new GroupConfig.Peer("n7", SteppedGroup.address(ANOTHER_PORT)));
        GroupNode stranger = group.another(GroupConfig.of("cluster", "broker-b", "n7", peers), ANOTHER_PORT);

        stranger.open();
        group.await("that it is to stop", () -> stranger.refused != null);

        assertThat(stranger.refused).contains("broker-a", "broker-b", "n7");
        assertNobodyElseIsRefused(group, stranger);
        assertThat(leader.leads()).isTrue();
    }
}
