package dev.perigee.protocol.allocate;

import dev.perigee.loop.Immutable;
import dev.perigee.loop.InOrder;
import dev.perigee.protocol.message.MessageQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Shares only the queues of brokers named {@code room@name} whose room is listed: equal runs first, then the rest one by
 * one to the first members.
 *
 * @param rooms the rooms to consume from
 */
@Immutable
public record AllocateMessageQueueByMachineRoom(Set<String> rooms) implements AllocateMessageQueueStrategy {
    public AllocateMessageQueueByMachineRoom {
        rooms = InOrder.copyOf(rooms);
    }

    @Override
    public String name() {
        return "MACHINE_ROOM";
    }

    @Override
    public List<MessageQueue> allocate(String group, String self, List<MessageQueue> queues, List<String> members) {
        int index = members.indexOf(self);
        if (index < 0) {
            return List.of();
        }
        List<MessageQueue> kept =
                queues.stream().filter(q -> isListed(q.brokerName())).toList();
        int share = kept.size() / members.size();
        List<MessageQueue> mine = new ArrayList<>(kept.subList(index * share, index * share + share));
        if (kept.size() % members.size() > index) {
            mine.add(kept.get(index + share * members.size()));
        }
        return List.copyOf(mine);
    }

    private boolean isListed(String brokerName) {
        int at = brokerName.indexOf('@');
        return at >= 0 && brokerName.indexOf('@', at + 1) < 0 && rooms.contains(brokerName.substring(0, at));
    }
}
