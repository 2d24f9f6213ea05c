package dev.perigee.client.transaction;

import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.MalformedAnswerException;
import dev.perigee.client.send.SendResult;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.header.send.CheckTransactionHeader;
import dev.perigee.protocol.header.send.EndTransactionHeader;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.message.SysFlag;
import org.jspecify.annotations.Nullable;

/**
 * How brokers know a half message (broker-client §6): two offsets, one of the queue of halves and one of the log, and the unique
 * key.
 *
 * @param topic the message's own when it was just sent, what the broker named when it asks
 * @param queueOffset in the queue of halves
 * @param physicalOffset in the log
 * @param messageId the unique key, never the id made of the offset
 */
@Immutable
record Half(@Nullable String topic, long queueOffset, long physicalOffset, String messageId, String transactionId) {
    private static final int NOTHING_DECIDED = 0;

    /**
     * The half message that was just stored.
     *
     * @throws MalformedAnswerException when the broker did not say where; the message then waits for its check
     */
    static Half sent(String topic, SendResult sent, FailureSite site) throws MalformedAnswerException {
        try {
            long physicalOffset = MessageId.parse(sent.offsetMessageId()).physicalOffset();
            return new Half(topic, sent.queueOffset(), physicalOffset, sent.messageId(), sent.transactionId());
        } catch (IllegalArgumentException e) {
            throw new MalformedAnswerException(
                    "the answer names no place of the half message msgId=" + sent.offsetMessageId(), site, e);
        }
    }

    /** The half message a broker asks about; its numbers go back as they came. */
    static Half asked(CheckTransactionHeader header, MessageExt message) {
        String key = header.msgId();
        String messageId = key == null ? message.messageId() : key;
        String transactionId = header.transactionId();
        return new Half(
                header.topic(),
                header.tranStateTableOffset(),
                header.commitLogOffset(),
                messageId,
                transactionId == null ? messageId : transactionId);
    }

    /** The topic, for the text of failures. */
    String topicText() {
        return topic == null ? FailureSite.NONE : topic;
    }

    /** What says the decision, or that there is none yet. */
    EndTransactionHeader decision(String group, TransactionState state, boolean fromCheck) {
        int type = switch (state) {
            case COMMIT -> SysFlag.TRANSACTION_COMMIT;
            case ROLLBACK -> SysFlag.TRANSACTION_ROLLBACK;
            case UNKNOWN -> NOTHING_DECIDED;
        };
        return new EndTransactionHeader(
                topic, group, queueOffset, physicalOffset, type, fromCheck, messageId, transactionId);
    }
}
