package dev.perigee.client.producer;

import dev.perigee.client.codec.BodyCodec;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.CodecAbsentException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.request.ReplyMessage;
import dev.perigee.client.send.Outgoing;
import dev.perigee.client.send.QueueChoice;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.SendStatus;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Deadline;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One message sent by itself (code 310, a reply 325), compressed when that is worth it. */
@OwnedBy("one thread at a time")
final class SingleSend implements Outgoing {
    private final LaneParts parts;
    private final String topic;
    private final String messageId;
    private final @Nullable QueueChoice choice;
    private final Deadline deadline;
    private final LaneParts.HeaderFields fields;
    private final byte[] body;
    private final CompletableFuture<SendResult> result = new CompletableFuture<>();
    private final Runnable landed;
    private final Kind kind;

    /** What a broker makes of a message, and how it is sent therefore. {@link Intake} lets the mark of a half pass only for halves. */
    private enum Kind {
        PLAIN,
        /** Answers a request: it is pushed to who asked (code 325). */
        REPLY,
        /** Waits for the outcome of a transaction. A second copy would have an outcome of its own. */
        HALF;

        static Kind of(Message message) {
            if (ReplyMessage.isReply(message)) {
                return REPLY;
            }
            return "true".equals(message.property(PropertyKey.TRANSACTION_PREPARED)) ? HALF : PLAIN;
        }
    }

    /**
     * A message by itself, for which memory was taken: where no unit can be made of it, whatever a codec throws, that is given back here.
     *
     * @param landed called once when the unit has ended, before its future is completed
     */
    static SingleSend holding(
            int heldBytes,
            LaneParts parts,
            Message message,
            String messageId,
            @Nullable QueueChoice choice,
            Deadline deadline,
            Runnable landed)
            throws CodecAbsentException {
        boolean made = false;
        try {
            SingleSend unit = new SingleSend(parts, message, messageId, choice, deadline, landed);
            made = true;
            return unit;
        } finally {
            if (!made) {
                parts.memory().give(1, heldBytes);
            }
        }
    }

    private SingleSend(
            LaneParts parts,
            Message message,
            String messageId,
            @Nullable QueueChoice choice,
            Deadline deadline,
            Runnable landed)
            throws CodecAbsentException {
        this.parts = parts;
        this.topic = message.topic();
        this.messageId = messageId;
        this.choice = choice;
        this.deadline = deadline;
        this.landed = landed;
        this.kind = Kind.of(message);
        int flags = kind == Kind.HALF ? SysFlag.TRANSACTION_PREPARED : 0;
        byte[] plain = message.body();
        byte[] compressed = compressed(plain);
        if (compressed.length < plain.length) {
            flags |= SysFlag.COMPRESSED | parts.config().compression().type().flag();
        }
        PropertyText properties = PropertyText.ofUtf8(BatchBuffer.properties(message, messageId));
        this.fields =
                LaneParts.HeaderFields.ofMessage(message, flags, parts.clock().wallMs(), properties);
        this.body = compressed;
    }

    private byte[] compressed(byte[] plain) throws CodecAbsentException {
        ProducerConfig.Compression compression = parts.config().compression();
        if (plain.length < compression.fromBytes()) {
            return plain;
        }
        byte[] smaller = new BodyCodec(BodyCodec.DEFAULT_MAX_INFLATED_BYTES)
                .compress(
                        compression.type(),
                        plain,
                        compression.level(),
                        FailureSite.untried(topic, deadline.remainingMs()));
        return smaller.length < plain.length ? smaller : plain;
    }

    CompletableFuture<SendResult> result() {
        return result;
    }

    @Override
    public String topic() {
        return topic;
    }

    @Override
    public @Nullable QueueChoice choice() {
        return choice;
    }

    @Override
    public Deadline deadline() {
        return deadline;
    }

    @Override
    public Rpc<SendMessageHeader, SendMessageResponse> rpc() {
        return kind == Kind.REPLY ? Rpcs.SEND_REPLY_MESSAGE_V2 : Rpcs.SEND_MESSAGE_V2;
    }

    @Override
    public boolean mayBeStoredTwice() {
        return kind != Kind.HALF;
    }

    @Override
    public SendMessageHeader header(MessageQueue chosen) {
        return parts.header(chosen, fields);
    }

    @Override
    public byte[] body() {
        return body;
    }

    @Override
    public void stored(SendStatus status, MessageQueue storedIn, SendMessageResponse answer) {
        parts.counters().stored.increment();
        landed.run();
        SendResult sent = SendResult.of(status, messageId, storedIn, answer);
        parts.callbacks().during(() -> result.complete(sent));
    }

    @Override
    public void failed(ClientException failure) {
        parts.counters().failed.increment();
        landed.run();
        parts.callbacks().during(() -> result.completeExceptionally(failure));
    }
}
