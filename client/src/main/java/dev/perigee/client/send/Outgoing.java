package dev.perigee.client.send;

import dev.perigee.client.error.ClientException;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.remoting.call.Deadline;
import org.jspecify.annotations.Nullable;

/** One unit on its way to a broker: a message alone, or a batch. It ends with exactly one of the two last methods. */
public interface Outgoing {
    /** The topic it goes to. */
    String topic();

    /** The one queue it goes to; null when the send policy chooses, anew for each try. */
    @Nullable
    QueueChoice choice();

    /** The end of all tries together. */
    Deadline deadline();

    /** The request it is sent with. */
    Rpc<SendMessageHeader, SendMessageResponse> rpc();

    /** The header for this queue. */
    SendMessageHeader header(MessageQueue queue);

    /** The body; the same for every try. */
    byte[] body();

    /** Whether it may be tried again after a try that failed and may have been carried out all the same. */
    default boolean mayBeStoredTwice() {
        return true;
    }

    /**
     * The broker stored it.
     *
     * @param storedIn where; mostly the queue it was sent to, but the broker has the last word
     */
    void stored(SendStatus status, MessageQueue storedIn, SendMessageResponse answer);

    /** It was given up. */
    void failed(ClientException failure);
}
