package dev.perigee.protocol.allocate;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.MessageQueue;
import java.util.ArrayList;
import java.util.List;

/** Queues are dealt out one by one, round and round. */
@Immutable
public final class AllocateMessageQueueAveragelyByCircle implements AllocateMessageQueueStrategy {
    @Override
    public String name() {
        return "AVG_BY_CIRCLE";
    }

    @Override
    public List<MessageQueue> allocate(String group, String self, List<MessageQueue> queues, List<String> members) {
        int index = members.indexOf(self);
        List<MessageQueue> mine = new ArrayList<>();
        for (int i = index; index >= 0 && i < queues.size(); i += members.size()) {
            mine.add(queues.get(i));
        }
        return List.copyOf(mine);
    }
}
