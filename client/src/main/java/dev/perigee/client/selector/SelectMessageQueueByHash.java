package dev.perigee.client.selector;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import java.util.List;

/**
 * The queue numbered |hash of the argument| modulo the number of queues, as stock clients choose it.
 *
 * @param <A> type of the argument; its {@code hashCode} decides
 */
@Immutable
public final class SelectMessageQueueByHash<A> implements MessageQueueSelector<A> {
    @Override
    public MessageQueue select(List<MessageQueue> queues, Message message, A argument) {
        int index = Math.abs(argument.hashCode() % queues.size());
        return queues.get(index);
    }
}
