package dev.perigee.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Members whose addresses are others than the log says are found by their settings. */
final class MovedMembersTest {
    private static final int FIRST = 10_911;
    private static final int FIRST_MOVED = 13_001;

    private static GroupConfig config(int self, int... ports) {
        List<GroupConfig.Peer> peers = new ArrayList<>();
        for (int i = 0; i < ports.length; i++) {
            peers.add(new GroupConfig.Peer("n" + i, SteppedGroup.address(ports[i])));
        }
        return GroupConfig.of("cluster", "broker-a", "n" + self, peers);
    }

    /** The members of before, which are down, over their folders, with settings that name these ports. */
    private static List<GroupNode> started(SteppedGroup group, List<GroupNode> before, int... ports) throws Exception {
        List<GroupNode> all = new ArrayList<>();
        for (int i = 0; i < ports.length; i++) {
            GroupNode moved = group.another(config(i, ports), ports[i]);
            moved.copy(before.get(i));
            all.add(moved);
        }
        group.nodes.removeAll(before);
        for (GroupNode moved : all) {
            moved.open();
        }
        return all;
    }

    private static void assertHasAll(SteppedGroup group, GroupNode former) throws Exception {
        GroupNode next = group.leader();
        next.send(10);
        group.await("an acknowledgement", () -> next.acknowledged.size() == 1);
        group.awaitLevel();
        for (var message : former.acknowledged.entrySet()) {
            assertThat(next.read(message.getKey())).contains(message.getValue());
        }
        assertThat(group.nodes).allSatisfy(node -> assertThat(node.refused).isNull());
        assertThat(group.faults()).isEmpty();
    }

    private static GroupNode sent(SteppedGroup group) {
        GroupNode leader = group.leader();
        leader.send(100);
        group.await("an acknowledgement", () -> leader.acknowledged.size() == 1);
        group.awaitLevel();
        return leader;
    }

    /** All of a group that has sent something end, and start again on these ports, which their settings name. */
    private static void assertComesBackOn(long seed, int... ports) throws Exception {
        SteppedGroup group = SteppedGroup.began(seed, 3);
        GroupNode former = sent(group);
        List<GroupNode> before = List.copyOf(group.nodes);
        before.forEach(GroupNode::kill);

        started(group, before, ports);

        assertHasAll(group, former);
    }

    @Test
    void aGroupComesBackWhenAllItsAddressesHaveChanged() throws Exception {
        assertComesBackOn(61, FIRST_MOVED, FIRST_MOVED + 1, FIRST_MOVED + 2);
    }

    @Test
    void aGroupComesBackWhenItsMembersHaveTheAddressesOfEachOther() throws Exception {
        assertComesBackOn(62, FIRST + 1, FIRST + 2, FIRST);
    }

    @Test
    void oneThatMovedAloneIsFedAgainAsSoonAsTheSettingsOfTheOthersNameItsAddress() throws Exception {
        SteppedGroup group = SteppedGroup.began(63, 3);
        GroupNode former = sent(group);
        List<GroupNode> before = List.copyOf(group.nodes);
        int[] ports = {FIRST, FIRST + 1, FIRST + 2};
        int moves = before.indexOf(former);
        ports[moves] = FIRST_MOVED;

        for (int i = 0; i < before.size(); i++) { // one by one
            int next = (moves + i) % before.size();
            GroupNode old = before.get(next);
            old.kill();
            group.nodes.remove(old);
            GroupNode again = group.another(config(next, ports), ports[next]);
            again.copy(old);
            again.open();
            group.leader();
        }

        assertHasAll(group, former);
    }

    /** As when somebody tries a second group out where the first one was. */
    @Test
    void membersOfAnotherGroupWithTheSameNamesInTheirPlaceAreNotTakenForThem() throws Exception {
        SteppedGroup group = SteppedGroup.began(64, 3);
        GroupNode former = sent(group);
        List<GroupNode> before = List.copyOf(group.nodes);
        before.forEach(GroupNode::kill);
        group.nodes.clear();
        List<GroupNode> others = new ArrayList<>();
        for (int i = 0; i < before.size(); i++) {
            others.add(group.another(config(i, FIRST, FIRST + 1, FIRST + 2), FIRST + i));
        }
        for (GroupNode other : others) {
            other.open();
        }
        GroupNode theirs = group.leader();
        long term = theirs.standing().term();

        List<GroupNode> moved = started(group, before, FIRST_MOVED, FIRST_MOVED + 1, FIRST_MOVED + 2);
        group.await(
                "a leader of the first group",
                () -> moved.stream()
                        .anyMatch(node -> node.leads() && node.standing().established()));

        assertThat(theirs.leads()).isTrue();
        assertThat(theirs.standing().term()).isEqualTo(term);
        assertThat(group.nodes).allSatisfy(node -> assertThat(node.refused).isNull());
        group.nodes.removeAll(others);
        assertHasAll(group, former);
    }
}
