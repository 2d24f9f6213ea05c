package dev.perigee.client.selector;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import java.util.List;

/**
 * The queue numbered |hash of the sharding key| modulo the number of queues: where a stock producer puts it that selects by the
 * hash of the same text. When the number of queues changes, most keys change their queue; see {@link SelectMessageQueueByStableHash}.
 */
@Immutable
public final class SelectMessageQueueByShardingKey implements MessageQueueSelector<String> {
    private static final SelectMessageQueueByHash<String> BY_HASH = new SelectMessageQueueByHash<>();

    @Override
    public MessageQueue select(List<MessageQueue> queues, Message message, String key) {
        return BY_HASH.select(queues, message, key);
    }
}
