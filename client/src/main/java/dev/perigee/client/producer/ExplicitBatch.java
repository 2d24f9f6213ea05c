package dev.perigee.client.producer;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.send.Sending;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.message.UniqueId;
import dev.perigee.remoting.call.Deadline;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes one batch of messages the caller put together.
 *
 * @param parts what units are made with
 * @param ids makes unique keys
 * @param observation tells who looks on
 */
@Immutable
record ExplicitBatch(LaneParts parts, UniqueId ids, Observation observation) {
    /** Takes memory for so many messages, or says why there is none. */
    interface MemoryTaker {
        void take(int messages, int bytes, String topic, @Nullable Deadline deadline) throws ClientException;
    }

    /** Where a batch goes, and until when. */
    record Address(@Nullable MessageQueue queue, Deadline deadline) {}

    /** Sends checked messages; the future tells about all of them together. */
    Sending send(List<Message> messages, Address to, MessageChecks checks, MemoryTaker memory) throws ClientException {
        String topic = messages.get(0).topic();
        List<String> messageIds = new ArrayList<>(messages.size());
        int most = 0;
        for (Message message : messages) {
            String given = message.uniqueId();
            String id = given != null ? given : ids.next();
            messageIds.add(id);
            most += BatchBuffer.maxEncodedBytes(message, id);
        }
        BatchBuffer buffer = new BatchBuffer(most);
        for (int i = 0; i < messages.size(); i++) {
            buffer.append(messages.get(i), messageIds.get(i));
            parts.counters().messages.increment();
            parts.counters().bytes.add(messages.get(i).body().length);
        }
        checks.batchSize(buffer.sizeBytes(), topic, to.deadline.remainingMs());
        memory.take(messages.size(), buffer.sizeBytes(), topic, to.deadline);
        Batch.Target target = new Batch.Target(
                topic,
                to.queue,
                to.deadline,
                parts.clock().wallMs(),
                messages.get(0).waitForStore());
        ResultForAll end = new ResultForAll(parts, messageIds, buffer.sizeBytes());
        observation.of(messages, messageIds, to.queue, end.result());
        return new Sending(end.result(), parts.sender().send(new Batch(parts, target, buffer.toBytes(), end)));
    }
}
