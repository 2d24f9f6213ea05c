package dev.perigee.client.producer;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.send.Outgoing;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.SendStatus;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.ResponseCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The end of a batch gathered by a lane: a future for each message. When the broker calls the content illegal, the messages
 * are sent one by one, so that only the bad one fails.
 */
@OwnedBy("one thread at a time")
final class ResultForEach implements Batch.End {
    /** One message of the batch: its id and who waits for it. */
    record Entry(String messageId, CompletableFuture<SendResult> result) {}

    /** Told once that the batch is no longer under way, before the futures are completed. */
    interface Landed {
        /**
         * @param messages messages that need no memory any more
         * @param bytes and their bytes
         * @param instead what is to be sent instead, mostly nothing
         */
        void landed(int messages, int bytes, List<Outgoing> instead);
    }

    private final LaneParts parts;
    private final Batch.Target target;
    private final byte[] body;
    private final List<Entry> entries;
    private final Landed landed;

    ResultForEach(LaneParts parts, Batch.Target target, byte[] body, List<Entry> entries, Landed landed) {
        this.parts = parts;
        this.target = target;
        this.body = body;
        this.entries = entries;
        this.landed = landed;
    }

    @Override
    public void stored(SendStatus status, MessageQueue storedIn, SendMessageResponse answer) {
        parts.counters().stored.add(entries.size());
        landed.landed(entries.size(), body.length, List.of());
        SendResult all = SendResult.ofBatch(status, "", storedIn, answer);
        parts.callbacks().during(() -> {
            for (int i = 0; i < entries.size(); i++) {
                Entry entry = entries.get(i);
                entry.result.complete(all.entry(entry.messageId, i));
            }
        });
    }

    @Override
    public void failed(ClientException failure) {
        if (entries.size() > 1
                && failure instanceof RefusedException refused
                && refused.code() == ResponseCode.MESSAGE_ILLEGAL) {
            landed.landed(0, 0, split());
            return;
        }
        parts.counters().failed.add(entries.size());
        landed.landed(entries.size(), body.length, List.of());
        parts.callbacks().during(() -> {
            for (Entry entry : entries) {
                entry.result.completeExceptionally(failure);
            }
        });
    }

    /** The same messages as batches of one. Every entry of the body starts with its size. */
    private List<Outgoing> split() {
        List<Outgoing> singles = new ArrayList<>(entries.size());
        ByteBuffer sizes = ByteBuffer.wrap(body);
        int from = 0;
        for (Entry entry : entries) {
            int end = from + sizes.getInt(from);
            byte[] part = Arrays.copyOfRange(body, from, end);
            singles.add(new Batch(parts, target, part, new ResultForEach(parts, target, part, List.of(entry), landed)));
            from = end;
        }
        return singles;
    }
}
