package dev.perigee.client.producer;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.send.Outgoing;
import dev.perigee.client.send.SendStatus;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Deadline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Messages sent together (code 320), each with a future of its own. A broker accepts or refuses a batch whole; when it
 * calls the content illegal, the messages are sent one by one, so that only the bad one fails.
 */
@OwnedBy("one thread at a time")
final class Batch implements Outgoing {
    /** One message of the batch: its id and who waits for it. */
    record Entry(String messageId, CompletableFuture<SendResult> result) {}

    /** What belongs together when a batch is closed. */
    record Target(String topic, @Nullable MessageQueue queue, Deadline deadline) {}

    private final LaneParts parts;
    private final Target target;
    private final byte[] body;
    private final List<Entry> entries;
    private final long bornMs;
    private final BiConsumer<Batch, List<Outgoing>> landed;

    /**
     * @param landed called once when the batch has ended, before the futures are completed; given the batch and the
     *     units to send instead of it, mostly none
     */
    Batch(LaneParts parts, Target target, byte[] body, List<Entry> entries, BiConsumer<Batch, List<Outgoing>> landed) {
        this.parts = parts;
        this.target = target;
        this.body = body;
        this.entries = entries;
        this.bornMs = parts.clock().wallMs();
        this.landed = landed;
    }

    int heldBytes() {
        return body.length;
    }

    @Override
    public String topic() {
        return target.topic;
    }

    @Override
    public @Nullable MessageQueue fixedQueue() {
        return target.queue;
    }

    @Override
    public Deadline deadline() {
        return target.deadline;
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
        parts.counters().stored.add(entries.size());
        landed.accept(this, List.of());
        String ids = answer.msgId() == null ? "" : answer.msgId();
        MessageQueue storedIn = answer.queueId() == chosen.queueId()
                ? chosen
                : new MessageQueue(target.topic, chosen.brokerName(), answer.queueId());
        parts.callbacks().during(() -> {
            for (int i = 0; i < entries.size(); i++) {
                Entry entry = entries.get(i);
                entry.result.complete(
                        new SendResult(status, entry.messageId, storedIn, answer.queueOffset() + i, ids, i));
            }
        });
    }

    @Override
    public void failed(ClientException failure) {
        if (entries.size() > 1
                && failure instanceof RefusedException refused
                && refused.code() == ResponseCode.MESSAGE_ILLEGAL) {
            landed.accept(this, split());
            return;
        }
        parts.counters().failed.add(entries.size());
        landed.accept(this, List.of());
        parts.callbacks().during(() -> {
            for (Entry entry : entries) {
                entry.result.completeExceptionally(failure);
            }
        });
    }

    /** The same messages as batches of one. Every entry of the body starts with its size. */
    private List<Outgoing> split() {
        List<Outgoing> singles = new ArrayList<>(entries.size());
        int from = 0;
        for (Entry entry : entries) {
            int size = sizeAt(from);
            byte[] part = Arrays.copyOfRange(body, from, from + size);
            singles.add(new Batch(parts, target, part, List.of(entry), landed));
            from += size;
        }
        return singles;
    }

    private int sizeAt(int at) {
        return (body[at] & 0xFF) << 24
                | (body[at + 1] & 0xFF) << 16
                | (body[at + 2] & 0xFF) << 8
                | (body[at + 3] & 0xFF);
    }
}
