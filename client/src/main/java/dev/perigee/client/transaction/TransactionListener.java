package dev.perigee.client.transaction;

import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import org.jspecify.annotations.Nullable;

/** The user's part of a transaction: doing it, and saying later what became of it. */
public interface TransactionListener {
    /**
     * Does the local transaction. Called on the thread that sends, once the half message is stored; may block.
     *
     * @param transactionId the id that {@link #check} can be told by
     * @param argument what the send was given
     * @return null means {@link TransactionState#UNKNOWN}
     * @throws Exception to mean {@link TransactionState#UNKNOWN}: the broker will ask
     */
    @Nullable
    TransactionState execute(Message message, String transactionId, @Nullable Object argument) throws Exception;

    /**
     * Says what became of a local transaction, of this process or of another one of the group: it must know from what is stored,
     * not from memory. Called on the threads of checks; may block, which keeps other checks waiting.
     *
     * @param half the message as it was sent; its transaction id is its {@link MessageExt#messageId}
     * @return null means {@link TransactionState#UNKNOWN}
     * @throws Exception to mean {@link TransactionState#UNKNOWN}
     */
    @Nullable
    TransactionState check(MessageExt half) throws Exception;
}
