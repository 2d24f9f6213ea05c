package dev.perigee.protocol.allocate;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.MessageQueue;
import java.util.List;

/**
 * A fixed list, whatever the members are.
 *
 * @param mine the queues of this client
 */
@Immutable
public record AllocateMessageQueueByConfig(List<MessageQueue> mine) implements AllocateMessageQueueStrategy {
    public AllocateMessageQueueByConfig {
        mine = List.copyOf(mine);
    }

    @Override
    public String name() {
        return "CONFIG";
    }

    @Override
    public List<MessageQueue> allocate(String group, String self, List<MessageQueue> queues, List<String> members) {
        return mine;
    }
}
