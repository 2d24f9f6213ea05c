package dev.perigee.client.selector;

import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import java.util.List;

/**
 * Chooses the queue of a message, for instance so that messages about one order go to one queue. Called on the sending
 * thread or on an event loop; must not block.
 *
 * @param <A> type of the argument given to the send
 */
@FunctionalInterface
public interface MessageQueueSelector<A> {
    /** One of the given queues; never empty. */
    MessageQueue select(List<MessageQueue> queues, Message message, A argument);
}
