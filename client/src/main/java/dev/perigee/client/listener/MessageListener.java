package dev.perigee.client.listener;

import dev.perigee.protocol.message.MessageExt;
import java.util.List;

/**
 * Takes messages in no particular order, several threads at a time. Called on the consumer's listener threads; may block.
 */
@FunctionalInterface
public interface MessageListener {
    /**
     * Consumes messages, at most as many as the batch size, all of one queue.
     *
     * @throws Exception to have them again later
     */
    ConsumeResult consume(List<MessageExt> messages) throws Exception;

    /**
     * As {@link #consume(List)}, with a say in what happens to those that fail. This is what is called; overriding it is
     * optional.
     *
     * @throws Exception to have them again later
     */
    default ConsumeResult consume(List<MessageExt> messages, ConsumeControl context) throws Exception {
        return consume(messages);
    }
}
