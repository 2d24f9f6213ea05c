package dev.perigee.client.listener;

import dev.perigee.protocol.message.MessageExt;
import java.util.List;

/**
 * Takes the messages of each queue in their order, one call at a time for a queue; different queues run side by side.
 * Called on the consumer's listener threads; may block.
 */
@FunctionalInterface
public interface OrderlyMessageListener {
    /**
     * Consumes the next messages of one queue, at most as many as the batch size. {@link ConsumeResult#LATER} holds the
     * queue back and gives the same messages again.
     *
     * @throws Exception to have them again later
     */
    ConsumeResult consume(List<MessageExt> messages) throws Exception;

    /**
     * As {@link #consume(List)}, with a say in how long the queue is held back. This is what is called; overriding it is
     * optional.
     *
     * @throws Exception to have them again later
     */
    default ConsumeResult consume(List<MessageExt> messages, ConsumeControl context) throws Exception {
        return consume(messages);
    }
}
