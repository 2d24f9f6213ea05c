package dev.perigee.client.send;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageQueue;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What became of one sent message, or of one explicit batch. */
@Immutable
public final class SendResult {
    /** Means every id of the answer. */
    private static final int ALL = -1;

    private final SendStatus status;
    private final String messageId;
    private final MessageQueue queue;
    private final SendMessageResponse answer;
    private final int index;
    /** Of a batch, whose results share it. */
    private final @Nullable OffsetIds offsetIds;

    private SendResult(
            SendStatus status,
            String messageId,
            MessageQueue queue,
            SendMessageResponse answer,
            int index,
            @Nullable OffsetIds offsetIds) {
        this.status = status;
        this.messageId = messageId;
        this.queue = queue;
        this.answer = answer;
        this.index = index;
        this.offsetIds = offsetIds;
    }

    /** The result of one message sent by itself. For the library's own packages. */
    public static SendResult of(SendStatus status, String messageId, MessageQueue queue, SendMessageResponse answer) {
        return new SendResult(status, messageId, queue, answer, ALL, null);
    }

    /**
     * The result of a batch as a whole. For the library's own packages.
     *
     * @param messageIds unique keys, comma separated
     */
    public static SendResult ofBatch(
            SendStatus status, String messageIds, MessageQueue queue, SendMessageResponse answer) {
        return new SendResult(status, messageIds, queue, answer, ALL, new OffsetIds(answer.msgId()));
    }

    /**
     * What became of one message of a batch, which this is the result of. For the library's own packages.
     *
     * @param entryId its unique key
     * @param entryIndex which of the batch, from 0
     */
    public SendResult entry(String entryId, int entryIndex) {
        return new SendResult(status, entryId, queue, answer, entryIndex, offsetIds);
    }

    /** How far the message had got. */
    public SendStatus status() {
        return status;
    }

    /** The unique key of the message; of an explicit batch, all keys joined by commas. */
    public String messageId() {
        return messageId;
    }

    /** The queue it was stored in; of a message that waits, the one it will come to. */
    public MessageQueue queue() {
        return queue;
    }

    /**
     * Its offset in that queue; of an explicit batch, the first message's. Of a message that waits (delayed, or a half message) it
     * is the offset of the copy that waits, in a topic of the broker's own.
     */
    public long queueOffset() {
        return answer.queueOffset() + Math.max(0, index);
    }

    /** The id that names store host and log offset, with which the broker finds the message at once. */
    public String offsetMessageId() {
        OffsetIds ids = offsetIds;
        if (index != ALL && ids != null) {
            return ids.of(index);
        }
        @Nullable String all = answer.msgId();
        return all == null ? "" : all;
    }

    /** The id a transaction goes by: what the broker says, else the unique key. */
    public String transactionId() {
        String said = index == ALL ? answer.transactionId() : null;
        return said == null || said.isEmpty() ? messageId : said;
    }

    /** With what a message that waits can be recalled; empty when it does not wait, or the broker gives no such thing. */
    public Optional<String> recallHandle() {
        String handle = index == ALL ? answer.recallHandle() : null;
        return handle == null || handle.isEmpty() ? Optional.empty() : Optional.of(handle);
    }

    /** Whether the broker wants the message traced; only its word {@code false} says no. */
    public boolean traceOn() {
        return !"false".equals(answer.traceOn());
    }

    /** The region the broker says it is in; empty when it names none. */
    public String region() {
        @Nullable String region = answer.region();
        return region == null ? "" : region;
    }

    @Override
    public String toString() {
        return "SendResult[status=" + status + ", messageId=" + messageId + ", queue=" + queue + ", queueOffset="
                + queueOffset() + ", offsetMessageId=" + offsetMessageId() + "]";
    }
}
