package dev.perigee.client.producer;

import dev.perigee.client.error.CodecAbsentException;
import dev.perigee.client.send.Outgoing;
import dev.perigee.client.send.QueueChoice;
import dev.perigee.client.send.SendResult;
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
 * Where asynchronous sends to one topic and one choice of queue become batches. Callers encode into the open batch. A full
 * batch leaves at once while fewer than the limit are under way; one that is not full leaves when nothing is under way. So a
 * lone message never waits, and under load batches fill by themselves while the broker is busy. A batch has one wait mode:
 * a message with the other one closes it.
 *
 * <p>A lane for a queue the caller chose has one unit under way, which keeps its messages in order, retries included.
 */
@ThreadSafe
final class SendLane {
    /** What a lane is for. */
    record Key(String topic, @Nullable MessageQueue queue) {}

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
    private List<ResultForEach.Entry> openEntries = new ArrayList<>();
    private Batch.@Nullable Target openTarget;
    private int inFlight;
    private boolean dispatching;
    private boolean retired;
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
     * @return null when the lane is retired: another one has taken its place
     */
    @Nullable
    CompletableFuture<SendResult> add(Message message, String messageId, int heldBytes) {
        CompletableFuture<SendResult> result = new CompletableFuture<>();
        int written;
        synchronized (this) {
            if (retired) {
                return null;
            }
            BatchBuffer buffer = room(message.waitForStore(), heldBytes);
            written = buffer.append(message, messageId);
            openEntries.add(new ResultForEach.Entry(messageId, result));
            if (buffer.sizeBytes() >= maxBytes || buffer.count() >= maxMessages) {
                close();
            }
        }
        parts.memory().give(0, heldBytes - written);
        dispatch();
        return result;
    }

    /** The open batch, or a new one when this message does not go into it. */
    private BatchBuffer room(boolean waitForStore, int moreBytes) {
        BatchBuffer buffer = open;
        Batch.Target target = openTarget;
        if (buffer != null
                && target != null
                && target.waitForStore() == waitForStore
                && buffer.sizeBytes() + moreBytes <= maxBytes) {
            return buffer;
        }
        close();
        BatchBuffer fresh = new BatchBuffer(lastBatchBytes);
        Deadline deadline = parts.deadline();
        open = fresh;
        openEntries = new ArrayList<>(lastBatchCount);
        openTarget =
                new Batch.Target(key.topic, key.queue, deadline, parts.clock().wallMs(), waitForStore);
        return fresh;
    }

    /** Sends a message by itself, in order behind what is already in this lane; null as {@link #add}. */
    @Nullable
    CompletableFuture<SendResult> addAlone(Message message, String messageId, int heldBytes)
            throws CodecAbsentException {
        Deadline deadline = parts.deadline();
        SingleSend single = SingleSend.holding(
                heldBytes,
                parts,
                message,
                messageId,
                QueueChoice.ofNullable(key.queue),
                deadline,
                () -> landed(1, heldBytes, List.of()));
        synchronized (this) {
            if (retired) {
                return null;
            }
            close();
            ready.add(single);
        }
        dispatch();
        return single.result();
    }

    /** Takes no more messages, if none is here: whoever holds this lane still has to look for another one. */
    synchronized boolean retireIfIdle() {
        retired = open == null && ready.isEmpty() && inFlight == 0 && !dispatching;
        return retired;
    }

    private void close() {
        BatchBuffer buffer = open;
        Batch.Target target = openTarget;
        if (buffer == null || target == null) {
            return;
        }
        int used = buffer.sizeBytes();
        byte[] body = buffer.toBytes();
        // Power of two from the size just seen: the next buffer of a busy lane needs no growing.
        lastBatchBytes = Math.max(SMALLEST_BUFFER_BYTES, Math.min(maxBytes, Integer.highestOneBit(used) << 1));
        lastBatchCount = buffer.count();
        ready.add(new Batch(parts, target, body, new ResultForEach(parts, target, body, openEntries, this::landed)));
        open = null;
        openTarget = null;
    }

    private void landed(int messages, int bytes, List<Outgoing> instead) {
        synchronized (this) {
            inFlight--;
            for (int i = instead.size() - 1; i >= 0; i--) {
                ready.addFirst(instead.get(i));
            }
        }
        parts.memory().give(messages, bytes);
        dispatch();
    }

    /**
     * Sends what may leave now. One thread at a time does so; it goes on for those that come meanwhile. A unit that fails at
     * once lands inside this loop, so however many fail one after the other, they do not pile up on the stack.
     */
    private void dispatch() {
        synchronized (this) {
            if (dispatching) {
                return;
            }
            dispatching = true;
        }
        for (Outgoing unit = next(); unit != null; unit = next()) {
            parts.sender().send(unit);
        }
    }

    /** The unit that may leave now; null, and the end of the dispatching, when there is none. */
    private synchronized @Nullable Outgoing next() {
        if (ready.isEmpty() && inFlight == 0) {
            close();
        }
        if (ready.isEmpty() || inFlight >= maxInFlight) {
            dispatching = false;
            return null;
        }
        inFlight++;
        return ready.removeFirst();
    }
}
