package dev.perigee.client.producer;

import dev.perigee.client.error.CodecAbsentException;
import dev.perigee.client.send.Outgoing;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.remoting.call.Deadline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Where asynchronous sends to one topic, one choice of queue and one wait mode become batches. Callers encode into the open
 * batch. A full batch leaves at once while fewer than the limit are under way; one that is not full leaves when nothing is
 * under way. So a lone message never waits, and under load batches fill by themselves while the broker is busy.
 *
 * <p>A lane for a queue the caller chose has one unit under way, which keeps its messages in order, retries included.
 */
@ThreadSafe
final class SendLane {
    /** What a lane is for. */
    record Key(String topic, @Nullable MessageQueue queue, boolean waitForStore) {}

    private static final int SMALLEST_BUFFER_BYTES = 2 << 10;

    private final Key key;
    private final LaneParts parts;
    private final int maxInFlight;
    private final int maxBytes;
    private final int maxMessages;

    // Guarded by this: callers encode on their own threads, so that the copy and the encoding are paid where the
    // message
    // comes from; a hand-over to a loop would cost an object and a thread change a message.
    private final ArrayDeque<Outgoing> ready = new ArrayDeque<>();
    private @Nullable BatchBuffer open;
    private List<Batch.Entry> openEntries = new ArrayList<>();
    private @Nullable Deadline openDeadline;
    private int inFlight;
    private int lastBatchBytes;
    private int lastBatchCount;

    SendLane(Key key, LaneParts parts) {
        this.key = key;
        this.parts = parts;
        ProducerConfig.Batching batching = parts.config().batching();
        this.maxInFlight = key.queue == null ? batching.maxInFlight() : 1;
        this.maxBytes = Math.min(batching.maxBytes(), parts.config().maxMessageBytes());
        this.maxMessages = batching.maxMessages();
        this.lastBatchBytes = SMALLEST_BUFFER_BYTES;
    }

    /**
     * Adds a message to the open batch. Its memory was taken before: {@code heldBytes}, which the batch gives back.
     *
     * @param heldBytes no less than the encoded size
     */
    CompletableFuture<SendResult> add(Message message, String messageId, int heldBytes) {
        CompletableFuture<SendResult> result = new CompletableFuture<>();
        List<Outgoing> leaving;
        synchronized (this) {
            BatchBuffer buffer = open;
            if (buffer != null && buffer.sizeBytes() + heldBytes > maxBytes) {
                close();
                buffer = null;
            }
            if (buffer == null) {
                buffer = new BatchBuffer(lastBatchBytes);
                open = buffer;
                openEntries = new ArrayList<>(lastBatchCount);
                openDeadline = Deadline.after(parts.clock(), parts.config().sendTimeoutMs());
            }
            int written = buffer.append(message, messageId);
            parts.memory().give(heldBytes - written);
            openEntries.add(new Batch.Entry(messageId, result));
            if (buffer.sizeBytes() >= maxBytes || buffer.count() >= maxMessages) {
                close();
            }
            leaving = leaving();
        }
        dispatch(leaving);
        return result;
    }

    /** Sends a message by itself, in order behind what is already in this lane. */
    CompletableFuture<SendResult> addAlone(Message message, String messageId, int heldBytes)
            throws CodecAbsentException {
        Deadline deadline = Deadline.after(parts.clock(), parts.config().sendTimeoutMs());
        SingleSend single =
                new SingleSend(parts, message, messageId, key.queue, deadline, () -> landed(heldBytes, List.of()));
        List<Outgoing> leaving;
        synchronized (this) {
            close();
            ready.add(single);
            leaving = leaving();
        }
        dispatch(leaving);
        return single.result();
    }

    private void close() {
        BatchBuffer buffer = open;
        Deadline deadline = openDeadline;
        if (buffer == null || deadline == null) {
            return;
        }
        int used = buffer.sizeBytes();
        byte[] body = buffer.toBytes();
        // Power of two from the size just seen: the next buffer of a busy lane needs no growing.
        lastBatchBytes = Math.max(SMALLEST_BUFFER_BYTES, Math.min(maxBytes, Integer.highestOneBit(used) << 1));
        lastBatchCount = buffer.count();
        ready.add(new Batch(
                parts,
                new Batch.Target(key.topic, key.queue, deadline),
                body,
                openEntries,
                (batch, instead) -> landed(instead.isEmpty() ? batch.heldBytes() : 0, instead)));
        open = null;
        openDeadline = null;
    }

    private void landed(int heldBytes, List<Outgoing> instead) {
        List<Outgoing> leaving;
        synchronized (this) {
            inFlight--;
            for (int i = instead.size() - 1; i >= 0; i--) {
                ready.addFirst(instead.get(i));
            }
            leaving = leaving();
        }
        parts.memory().give(heldBytes);
        dispatch(leaving);
    }

    /** Takes out what may leave now. */
    private List<Outgoing> leaving() {
        if (ready.isEmpty() && inFlight == 0) {
            close();
        }
        if (ready.isEmpty() || inFlight >= maxInFlight) {
            return List.of();
        }
        List<Outgoing> leaving = new ArrayList<>(1);
        while (!ready.isEmpty() && inFlight < maxInFlight) {
            leaving.add(ready.removeFirst());
            inFlight++;
        }
        return leaving;
    }

    private void dispatch(List<Outgoing> leaving) {
        for (Outgoing unit : leaving) {
            parts.sender().send(unit);
        }
    }
}
