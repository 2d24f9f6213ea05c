package dev.perigee.client.producer;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.send.Outgoing;
import dev.perigee.client.send.QueueChoice;
import dev.perigee.client.send.SendStatus;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Deadline;
import org.jspecify.annotations.Nullable;

/** Messages that travel in one request (code 320). A broker accepts or refuses them whole. */
@OwnedBy("one thread at a time")
final class Batch implements Outgoing {
    /** What all messages of a batch have in common. */
    record Target(String topic, @Nullable MessageQueue queue, Deadline deadline, long bornMs, boolean waitForStore) {}

    /** Who is told how a batch ended; exactly one of the methods is called, once. */
    interface End {
        void stored(SendStatus status, MessageQueue storedIn, SendMessageResponse answer);

        void failed(ClientException failure);
    }

    private final LaneParts parts;
    private final Target target;
    private final @Nullable QueueChoice choice;
    private final LaneParts.HeaderFields fields;
    private final byte[] body;
    private final End end;

    /** @param body encoded by a {@link BatchBuffer} */
    Batch(LaneParts parts, Target target, byte[] body, End end) {
        this.parts = parts;
        this.target = target;
        this.choice = QueueChoice.ofNullable(target.queue);
        this.fields = LaneParts.HeaderFields.ofBatch(target.bornMs, target.waitForStore);
        this.body = body;
        this.end = end;
    }

    @Override
    public String topic() {
        return target.topic;
    }

    @Override
    public @Nullable QueueChoice choice() {
        return choice;
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
        return parts.header(chosen, fields);
    }

    @Override
    public byte[] body() {
        return body;
    }

    @Override
    public void stored(SendStatus status, MessageQueue storedIn, SendMessageResponse answer) {
        end.stored(status, storedIn, answer);
    }

    @Override
    public void failed(ClientException failure) {
        end.failed(failure);
    }
}
