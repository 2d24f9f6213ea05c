package dev.perigee.client.producer;

import dev.perigee.client.send.SendStatus;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.MessageQueue;

/** What became of one sent message, or of one explicit batch. */
@Immutable
public final class SendResult {
    /** Means every id of the answer. */
    static final int ALL = -1;

    private final SendStatus status;
    private final String messageId;
    private final MessageQueue queue;
    private final long queueOffset;
    private final String offsetIds;
    private final int index;

    /**
     * @param queueOffset of the first message meant
     * @param offsetIds ids of everything the answer was about, comma separated
     * @param index which of these is meant, or {@link #ALL}
     */
    SendResult(SendStatus status, String messageId, MessageQueue queue, long queueOffset, String offsetIds, int index) {
        this.status = status;
        this.messageId = messageId;
        this.queue = queue;
        this.queueOffset = queueOffset;
        this.offsetIds = offsetIds;
        this.index = index;
    }

    /** How far the message had got. */
    public SendStatus status() {
        return status;
    }

    /** The unique key of the message; of an explicit batch, all keys joined by commas. */
    public String messageId() {
        return messageId;
    }

    /** The queue it was stored in. */
    public MessageQueue queue() {
        return queue;
    }

    /** Its offset in that queue; of an explicit batch, the first message's. */
    public long queueOffset() {
        return queueOffset;
    }

    /** The id that names store host and log offset, with which the broker finds the message at once. */
    public String offsetMessageId() {
        if (index == ALL) {
            return offsetIds;
        }
        int from = 0;
        for (int i = 0; i < index; i++) {
            int comma = offsetIds.indexOf(',', from);
            if (comma < 0) {
                return ""; // an answer that names fewer ids than it stored messages
            }
            from = comma + 1;
        }
        int end = offsetIds.indexOf(',', from);
        return offsetIds.substring(from, end < 0 ? offsetIds.length() : end);
    }

    @Override
    public String toString() {
        return "SendResult[status=" + status + ", messageId=" + messageId + ", queue=" + queue + ", queueOffset="
                + queueOffset + ", offsetMessageId=" + offsetMessageId() + "]";
    }
}
