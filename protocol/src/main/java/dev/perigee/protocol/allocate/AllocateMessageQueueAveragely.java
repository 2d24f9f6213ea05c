package dev.perigee.protocol.allocate;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.MessageQueue;
import java.util.List;

/** Neighbouring queues go to one member; shares differ by at most one queue, the first members get the larger ones. */
@Immutable
public final class AllocateMessageQueueAveragely implements AllocateMessageQueueStrategy {
    @Override
    public String name() {
        return "AVG";
    }

    @Override
    public List<MessageQueue> allocate(String group, String self, List<MessageQueue> queues, List<String> members) {
        int index = members.indexOf(self);
        if (index < 0 || queues.isEmpty()) {
            return List.of();
        }
        int share = queues.size() / members.size();
        int larger = queues.size() % members.size();
        int start = index * share + Math.min(index, larger);
        int end = start + share + (index < larger ? 1 : 0);
        return List.copyOf(queues.subList(start, end));
    }
}
