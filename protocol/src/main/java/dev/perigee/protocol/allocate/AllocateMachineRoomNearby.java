package dev.perigee.protocol.allocate;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.MessageQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Members consume the queues of their own room; rooms without a live member are shared among everybody.
 *
 * @param inner shares the queues inside one room
 * @param rooms tells the rooms
 */
@Immutable
public record AllocateMachineRoomNearby(AllocateMessageQueueStrategy inner, MachineRooms rooms)
        implements AllocateMessageQueueStrategy {
    @Override
    public String name() {
        return "MACHINE_ROOM_NEARBY-" + inner.name();
    }

    @Override
    public List<MessageQueue> allocate(String group, String self, List<MessageQueue> queues, List<String> members) {
        if (!members.contains(self)) {
            return List.of();
        }
        Map<String, List<MessageQueue>> queuesByRoom =
                queues.stream().collect(Collectors.groupingBy(rooms::ofQueue, TreeMap::new, Collectors.toList()));
        Map<String, List<String>> membersByRoom =
                members.stream().collect(Collectors.groupingBy(rooms::ofClient, TreeMap::new, Collectors.toList()));
        String myRoom = rooms.ofClient(self);
        List<MessageQueue> mine = new ArrayList<>(inner.allocate(
                group,
                self,
                queuesByRoom.getOrDefault(myRoom, List.of()),
                membersByRoom.getOrDefault(myRoom, List.of())));
        queuesByRoom.forEach((room, orphaned) -> {
            if (!membersByRoom.containsKey(room)) {
                mine.addAll(inner.allocate(group, self, orphaned, members));
            }
        });
        return List.copyOf(mine);
    }
}
