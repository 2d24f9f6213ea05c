package dev.perigee.client.producer;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.SendStatus;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageQueue;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The end of a batch the caller put together: one future for all of it. */
@OwnedBy("one thread at a time")
final class ResultForAll implements Batch.End {
    private final LaneParts parts;
    private final List<String> messageIds;
    private final int heldBytes;
    private final CompletableFuture<SendResult> result = new CompletableFuture<>();

    /** @param heldBytes memory taken for the batch, given back at its end */
    ResultForAll(LaneParts parts, List<String> messageIds, int heldBytes) {
        this.parts = parts;
        this.messageIds = List.copyOf(messageIds);
        this.heldBytes = heldBytes;
    }

    CompletableFuture<SendResult> result() {
        return result;
    }

    @Override
    public void stored(SendStatus status, MessageQueue storedIn, SendMessageResponse answer) {
        parts.counters().stored.add(messageIds.size());
        parts.memory().give(messageIds.size(), heldBytes);
        SendResult sent = SendResult.ofBatch(status, String.join(",", messageIds), storedIn, answer);
        parts.callbacks().during(() -> result.complete(sent));
    }

    @Override
    public void failed(ClientException failure) {
        parts.counters().failed.add(messageIds.size());
        parts.memory().give(messageIds.size(), heldBytes);
        parts.callbacks().during(() -> result.completeExceptionally(failure));
    }
}
