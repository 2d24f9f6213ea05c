package dev.perigee.protocol.allocate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.message.MessageQueue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What must hold of every allocation, whatever the numbers of queues, members and rooms: seeded random cases. */
final class AllocatePropertiesTest {
    private static final int CASES = 10_000;
    /** Of strategies that hash every member for every member. */
    private static final int HASHED_CASES = 150;

    private static final int MAX_QUEUES = 64;
    private static final int MAX_MEMBERS = 40;
    private static final int MAX_ROOMS = 5;

    /** Rooms are written before an at sign, in broker names and client ids alike. */
    private static final MachineRooms ROOMS = new MachineRooms() {
        @Override
        public String ofQueue(MessageQueue queue) {
            return queue.brokerName().substring(0, queue.brokerName().indexOf('@'));
        }

        @Override
        public String ofClient(String clientId) {
            return clientId.substring(0, clientId.indexOf('@'));
        }
    };

    /** One group: sorted queues, sorted members. */
    private record Group(List<MessageQueue> queues, List<String> members) {
        static Group random(Random random) {
            int rooms = 1 + random.nextInt(MAX_ROOMS);
            List<MessageQueue> queues = IntStream.range(0, random.nextInt(MAX_QUEUES + 1))
                    .mapToObj(i -> new MessageQueue("T", "r" + random.nextInt(rooms) + "@b" + random.nextInt(3), i))
                    .sorted()
                    .toList();
            Set<String> members = new TreeSet<>();
            int count = 1 + random.nextInt(MAX_MEMBERS);
            while (members.size() < count) {
                members.add("r" + random.nextInt(rooms) + "@c" + random.nextInt(1_000));
            }
            return new Group(queues, List.copyOf(members));
        }

        Group without(String member) {
            return new Group(
                    queues, members.stream().filter(m -> !m.equals(member)).toList());
        }

        Map<MessageQueue, String> owners(AllocateMessageQueueStrategy strategy) {
            Map<MessageQueue, String> owners = new HashMap<>();
            for (String member : members) {
                for (MessageQueue queue : strategy.allocate("g", member, queues, members)) {
                    String other = owners.put(queue, member);
                    if (other != null) { // not said by AssertJ, which takes longer for it than all strategies take
                        throw new AssertionError(
                                queue + " has two owners by " + strategy.name() + ": " + other + " and " + member);
                    }
                }
            }
            return owners;
        }
    }

    private static List<AllocateMessageQueueStrategy> averaging() {
        return List.of(new AllocateMessageQueueAveragely(), new AllocateMessageQueueAveragelyByCircle());
    }

    private static List<AllocateMessageQueueStrategy> complete() {
        List<AllocateMessageQueueStrategy> plain = List.of(
                new AllocateMessageQueueAveragely(),
                new AllocateMessageQueueAveragelyByCircle(),
                new AllocateMessageQueueConsistentHash());
        List<AllocateMessageQueueStrategy> all = new ArrayList<>(plain);
        plain.forEach(inner -> all.add(new AllocateMachineRoomNearby(inner, ROOMS)));
        return all;
    }

    @Test
    void everyQueueHasExactlyOneOwner() {
        Random random = new Random(1);
        for (int i = 0; i < CASES; i++) {
            Group group = Group.random(random);
            for (AllocateMessageQueueStrategy strategy : i < HASHED_CASES ? complete() : averaging()) {
                assertThat(group.owners(strategy).keySet()).as(strategy.name()).isEqualTo(Set.copyOf(group.queues));
            }
        }
    }

    @Test
    void aMachineRoomSharesExactlyTheQueuesOfItsRooms() {
        Random random = new Random(2);
        for (int i = 0; i < CASES; i++) {
            Group group = Group.random(random);
            Set<String> kept = Set.of("r0", "r2");
            Set<MessageQueue> expected = group.queues.stream()
                    .filter(q -> kept.contains(ROOMS.ofQueue(q)))
                    .collect(Collectors.toSet());
            assertThat(group.owners(new AllocateMessageQueueByMachineRoom(kept)).keySet())
                    .isEqualTo(expected);
        }
    }

    @Test
    void aFixedListIsTheSameWhateverTheGroupIs() {
        List<MessageQueue> mine = List.of(new MessageQueue("T", "b", 3));
        Group group = Group.random(new Random(3));
        assertThat(new AllocateMessageQueueByConfig(mine).allocate("g", "nobody", group.queues, group.members))
                .isEqualTo(mine);
    }

    @Test
    void sharesOfTheAveragingStrategiesDifferByOneAtMost() {
        Random random = new Random(4);
        for (int i = 0; i < CASES; i++) {
            Group group = Group.random(random);
            for (AllocateMessageQueueStrategy strategy : averaging()) {
                assertEven(sizes(group, strategy).values());
            }
            assertEven(sizes(group, new AllocateMessageQueueByMachineRoom(Set.of("r0", "r2")))
                    .values());
        }
    }

    /** A room without members is shared evenly among everybody, whatever each has of its own. */
    @Test
    void averagelyNearbySharesDifferByOneAtMostInEachRoom() {
        Random random = new Random(8);
        for (AllocateMessageQueueStrategy inner : averaging()) {
            var nearby = new AllocateMachineRoomNearby(inner, ROOMS);
            for (int i = 0; i < CASES / 2; i++) {
                Group group = Group.random(random);
                Map<MessageQueue, String> owners = group.owners(nearby);
                for (String room :
                        group.queues.stream().map(ROOMS::ofQueue).distinct().toList()) {
                    List<String> nearest = group.members.stream()
                            .filter(member -> ROOMS.ofClient(member).equals(room))
                            .toList();
                    Map<String, Long> sizes = sizesInRoom(owners, room);
                    List<String> sharers = nearest.isEmpty() ? group.members : nearest;
                    assertThat(sharers).as("who has queues of " + room).containsAll(sizes.keySet());
                    assertEven(sharers.stream()
                            .map(member -> sizes.getOrDefault(member, 0L))
                            .toList());
                }
            }
        }
    }

    private static Map<String, Long> sizesInRoom(Map<MessageQueue, String> owners, String room) {
        return owners.entrySet().stream()
                .filter(owned -> ROOMS.ofQueue(owned.getKey()).equals(room))
                .collect(Collectors.groupingBy(Map.Entry::getValue, Collectors.counting()));
    }

    private static void assertEven(Collection<Long> sizes) {
        long largest = sizes.stream().mapToLong(Long::longValue).max().orElse(0);
        long smallest = sizes.stream().mapToLong(Long::longValue).min().orElse(0);
        assertThat(largest - smallest).isLessThanOrEqualTo(1);
    }

    private static Map<String, Long> sizes(Group group, AllocateMessageQueueStrategy strategy) {
        Map<String, Long> sizes = group.owners(strategy).values().stream()
                .collect(Collectors.groupingBy(owner -> owner, HashMap::new, Collectors.counting()));
        group.members.forEach(member -> sizes.putIfAbsent(member, 0L));
        return sizes;
    }

    @Test
    void aMemberThatLeavesTheRingMovesOnlyItsOwnQueues() {
        Random random = new Random(5);
        var hash = new AllocateMessageQueueConsistentHash();
        for (int i = 0; i < HASHED_CASES; i++) {
            Group group = Group.random(random);
            String leaver = group.members.get(random.nextInt(group.members.size()));
            Map<MessageQueue, String> before = group.owners(hash);
            Map<MessageQueue, String> after = group.without(leaver).owners(hash);
            after.forEach((queue, owner) -> {
                if (!leaver.equals(before.get(queue))) {
                    assertThat(owner).isEqualTo(before.get(queue));
                }
            });
        }
    }

    /** A room that gets its first member, or loses its last, is shared otherwise; every other room must not notice. */
    @Test
    void aMemberThatJoinsTakesQueuesOnlyForItselfAlsoNextToItsRoom() {
        Random random = new Random(6);
        var hash = new AllocateMessageQueueConsistentHash();
        var nearby = new AllocateMachineRoomNearby(hash, ROOMS);
        for (int i = 0; i < HASHED_CASES; i++) {
            Group after = Group.random(random);
            String joiner = after.members.get(random.nextInt(after.members.size()));
            Group before = after.without(joiner);
            assertThat(gainers(before.owners(hash), after.owners(hash))).isSubsetOf(joiner);
            assertThat(gainers(before.owners(nearby), after.owners(nearby))).isSubsetOf(joiner);
        }
    }

    private static Set<String> gainers(Map<MessageQueue, String> before, Map<MessageQueue, String> after) {
        Set<String> gainers = new HashSet<>();
        before.forEach((queue, owner) -> {
            if (!owner.equals(after.get(queue))) {
                gainers.add(after.get(queue));
            }
        });
        return gainers;
    }

    @Test
    void morePointsOnTheRingShareMoreEvenly() {
        List<MessageQueue> queues = IntStream.range(0, 1_000)
                .mapToObj(i -> new MessageQueue("T", "b", i))
                .toList();
        List<String> members = IntStream.range(0, 10).mapToObj(i -> "c" + i).toList();
        Group group = new Group(queues, members);
        assertThat(spread(group, 200)).isLessThan(spread(group, 1) / 2);
        assertThat(group.owners(new AllocateMessageQueueConsistentHash(1)))
                .isNotEqualTo(group.owners(new AllocateMessageQueueConsistentHash(200)));
    }

    private static long spread(Group group, int virtualNodes) {
        Collection<Long> sizes = sizes(group, new AllocateMessageQueueConsistentHash(virtualNodes))
                .values();
        return sizes.stream().mapToLong(Long::longValue).max().orElse(0)
                - sizes.stream().mapToLong(Long::longValue).min().orElse(0);
    }

    @Test
    void whoeverIsNoMemberGetsNothing() {
        Group group = Group.random(new Random(7));
        for (AllocateMessageQueueStrategy strategy : complete()) {
            assertThat(strategy.allocate("g", "r0@stranger", group.queues, group.members))
                    .as(strategy.name())
                    .isEmpty();
            assertThat(strategy.allocate("g", "r0@stranger", group.queues, List.of()))
                    .as(strategy.name())
                    .isEmpty();
        }
    }
}
