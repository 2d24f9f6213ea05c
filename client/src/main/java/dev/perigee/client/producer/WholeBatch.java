package dev.perigee.client.producer;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.send.Outgoing;
import dev.perigee.client.send.SendStatus;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Deadline;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A batch the caller put together: one future for all of it. */
@OwnedBy("one thread at a time")
final class WholeBatch implements Outgoing {
    private final LaneParts parts;
    private final Batch.Target target;
    private final byte[] body;
    private final String messageIds;
    private final int count;
    private final long bornMs;
    private final CompletableFuture<SendResult> result = new CompletableFuture<>();

    WholeBatch(LaneParts parts, Batch.Target target, byte[] body, String messageIds, int count) {
        this.parts = parts;
        this.target = target;
        this.body = body;
        this.messageIds = messageIds;
        this.count = count;
        this.bornMs = parts.clock().wallMs();
    }

    CompletableFuture<SendResult> result() {
        return result;
    }

    @Override
    public String topic() {
        return target.topic();
    }

    @Override
    public @Nullable MessageQueue fixedQueue() {
        return target.queue();
    }

    @Override
    public Deadline deadline() {
        return target.deadline();
    }

    @Override
    public Rpc<SendMessageHeader, SendMessageResponse> rpc() {
        return Rpcs.SEND_BATCH_MESSAGE;
    }

    @Override
    public SendMessageHeader header(MessageQueue chosen) {
        return parts.batch(chosen, bornMs);
    }

    @Override
    public byte[] body() {
        return body;
    }

    @Override
    public void stored(SendStatus status, MessageQueue chosen, SendMessageResponse answer) {
        parts.counters().stored.add(count);
        parts.memory().give(body.length);
        String offsetIds = answer.msgId();
        SendResult sent = new SendResult(
                status, messageIds, chosen, answer.queueOffset(), offsetIds == null ? "" : offsetIds, SendResult.ALL);
        parts.callbacks().during(() -> result.complete(sent));
    }

    @Override
    public void failed(ClientException failure) {
        parts.counters().failed.add(count);
        parts.memory().give(body.length);
        parts.callbacks().during(() -> result.completeExceptionally(failure));
    }
}
