package dev.perigee.protocol.allocate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.message.MessageQueue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The worked tables of client-behaviour §3.4, and what must hold for any numbers. */
final class AllocateStrategiesTest {
    private static final List<AllocateMessageQueueStrategy> COMPLETE = List.of(
            new AllocateMessageQueueAveragely(),
            new AllocateMessageQueueAveragelyByCircle(),
            new AllocateMessageQueueConsistentHash());

    private static List<MessageQueue> queues(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new MessageQueue("T", "b", i))
                .toList();
    }

    private static List<String> members(int count) {
        return IntStream.range(0, count).mapToObj(i -> "c" + i).sorted().toList();
    }

    private static String shares(AllocateMessageQueueStrategy strategy, int queues, int members) {
        return members(members).stream()
                .map(self -> strategy.allocate("g", self, queues(queues), members(members)).stream()
                        .map(q -> Integer.toString(q.queueId()))
                        .collect(Collectors.joining()))
                .map(share -> share.isEmpty() ? "-" : share)
                .collect(Collectors.joining(" / "));
    }

    @ParameterizedTest
    @CsvSource({
        "8, 3, 012 / 345 / 67, 036 / 147 / 25, 346 / 125 / 07",
        "10, 4, 012 / 345 / 67 / 89, 048 / 159 / 26 / 37, 346 / 29 / 078 / 15",
        "2, 3, 0 / 1 / -, 0 / 1 / -, - / 1 / 0",
        "7, 7, 0 / 1 / 2 / 3 / 4 / 5 / 6, 0 / 1 / 2 / 3 / 4 / 5 / 6, 46 / 2 / - / 15 / 0 / - / 3"
    })
    void sharesAsStockClientsDo(int queues, int members, String averagely, String byCircle, String consistentHash) {
        assertThat(shares(new AllocateMessageQueueAveragely(), queues, members)).isEqualTo(averagely);
        assertThat(shares(new AllocateMessageQueueAveragelyByCircle(), queues, members))
                .isEqualTo(byCircle);
        assertThat(shares(new AllocateMessageQueueConsistentHash(), queues, members))
                .isEqualTo(consistentHash);
    }

    @Test
    void everyQueueBelongsToExactlyOneMember() {
        for (AllocateMessageQueueStrategy strategy : COMPLETE) {
            for (int n = 0; n <= 17; n++) {
                for (int m = 1; m <= 9; m++) {
                    List<MessageQueue> all = new ArrayList<>();
                    for (String self : members(m)) {
                        all.addAll(strategy.allocate("g", self, queues(n), members(m)));
                    }
                    assertThat(all)
                            .as("%s n=%d m=%d", strategy.name(), n, m)
                            .containsExactlyInAnyOrderElementsOf(queues(n));
                }
            }
        }
    }

    @Test
    void averageSharesDifferByAtMostOne() {
        for (AllocateMessageQueueStrategy strategy : COMPLETE.subList(0, 2)) {
            for (int n = 0; n <= 17; n++) {
                for (int m = 1; m <= 9; m++) {
                    int queues = n;
                    int members = m;
                    IntStream sizes = members(m).stream()
                            .mapToInt(self -> strategy.allocate("g", self, queues(queues), members(members))
                                    .size());
                    var summary = sizes.summaryStatistics();
                    assertThat(summary.getMax() - summary.getMin()).isLessThanOrEqualTo(1);
                }
            }
        }
    }

    @Test
    void aStrangerGetsNothing() {
        for (AllocateMessageQueueStrategy strategy : COMPLETE) {
            assertThat(strategy.allocate("g", "stranger", queues(4), members(2)))
                    .isEmpty();
        }
    }

    @Test
    void aLeavingMemberMovesOnlyItsOwnQueuesInTheHashRing() {
        AllocateMessageQueueStrategy strategy = new AllocateMessageQueueConsistentHash();
        List<String> without = members(5).subList(0, 4);
        for (String self : without) {
            Set<MessageQueue> before = new HashSet<>(strategy.allocate("g", self, queues(32), members(5)));
            Set<MessageQueue> after = new HashSet<>(strategy.allocate("g", self, queues(32), without));
            assertThat(after).containsAll(before);
        }
    }

    private static List<MessageQueue> roomQueues() {
        List<MessageQueue> queues = new ArrayList<>();
        IntStream.range(0, 4).forEach(i -> queues.add(new MessageQueue("T", "room1@b", i)));
        IntStream.range(0, 3).forEach(i -> queues.add(new MessageQueue("T", "room2@b", i)));
        IntStream.range(0, 2).forEach(i -> queues.add(new MessageQueue("T", "room3@b", i)));
        return queues;
    }

    private static List<String> named(List<MessageQueue> queues) {
        return queues.stream().map(q -> q.brokerName() + q.queueId()).toList();
    }

    @Test
    void machineRoomSharesOnlyListedRooms() {
        var strategy = new AllocateMessageQueueByMachineRoom(Set.of("room1", "room2"));
        assertThat(named(strategy.allocate("g", "c0", roomQueues(), members(3))))
                .containsExactly("room1@b0", "room1@b1", "room2@b2");
        assertThat(named(strategy.allocate("g", "c1", roomQueues(), members(3))))
                .containsExactly("room1@b2", "room1@b3");
        assertThat(named(strategy.allocate("g", "c2", roomQueues(), members(3))))
                .containsExactly("room2@b0", "room2@b1");
    }

    @Test
    void nearbyMembersTakeTheirRoomAndShareRoomsWithoutMembers() {
        MachineRooms rooms = new MachineRooms() {
            @Override
            public String ofQueue(MessageQueue queue) {
                return queue.brokerName().substring(0, queue.brokerName().indexOf('@'));
            }

            @Override
            public String ofClient(String clientId) {
                return clientId.substring(0, clientId.indexOf('-'));
            }
        };
        var strategy = new AllocateMachineRoomNearby(new AllocateMessageQueueAveragely(), rooms);
        List<String> members = List.of("room1-c0", "room1-c1", "room2-c0");
        assertThat(strategy.name()).isEqualTo("MACHINE_ROOM_NEARBY-AVG");
        assertThat(named(strategy.allocate("g", "room1-c0", roomQueues(), members)))
                .containsExactly("room1@b0", "room1@b1", "room3@b0");
        assertThat(named(strategy.allocate("g", "room1-c1", roomQueues(), members)))
                .containsExactly("room1@b2", "room1@b3", "room3@b1");
        assertThat(named(strategy.allocate("g", "room2-c0", roomQueues(), members)))
                .containsExactly("room2@b0", "room2@b1", "room2@b2");
    }

    @Test
    void strategiesAreFoundByTheirWireName() {
        assertThat(AllocateStrategies.named("AVG")).containsSame(AllocateStrategies.AVERAGELY);
        assertThat(AllocateStrategies.named("AVG_BY_CIRCLE")).isPresent();
        assertThat(AllocateStrategies.named("CONSISTENT_HASH")).isPresent();
        assertThat(AllocateStrategies.named("nonsense")).isEmpty();
    }
}
