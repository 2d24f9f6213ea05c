package dev.perigee.client.producer;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.request.Requests;
import dev.perigee.client.send.QueueChoice;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.Sending;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.message.UniqueId;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.remoting.call.Deadline;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Turns messages that pass the checks into units under way: alone, in a lane, as an explicit batch or one-way. */
@ThreadSafe
final class Intake {
    private final LaneParts parts;
    private final MessageChecks checks;
    private final Admission admission;
    private final UniqueId ids;
    private final Observation observation;
    private final Lanes lanes;

    Intake(LaneParts parts, MessageChecks checks, Admission admission, UniqueId ids, Observation observation) {
        this.parts = parts;
        this.checks = checks;
        this.admission = admission;
        this.ids = ids;
        this.observation = observation;
        this.lanes = new Lanes(parts);
    }

    String idOf(Message message) {
        String given = message.uniqueId();
        return given != null ? given : ids.next();
    }

    private void count(Message message) {
        parts.counters().messages.increment();
        parts.counters().bytes.add(message.body().length);
    }

    /** Begins a send; the future also tells why it could not begin. */
    interface Start {
        Sending begin() throws ClientException;
    }

    static CompletableFuture<SendResult> started(Start start) {
        try {
            return start.begin().result();
        } catch (ClientException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Checks a message and takes memory for it; gives how much. */
    private int admit(Message message, @Nullable MessageQueue queue, String id, Deadline deadline)
            throws ClientException {
        long remainingMs = deadline.remainingMs();
        admission.requireRunning(message.topic(), remainingMs);
        checks.topic(message.topic(), remainingMs);
        checks.queue(message.topic(), queue, remainingMs);
        checks.content(message, remainingMs);
        count(message);
        int held = BatchBuffer.maxEncodedBytes(message, id);
        admission.takeMemory(1, held, message.topic(), deadline);
        return held;
    }

    /** A message sent by itself, with memory taken for it. */
    Sending single(Message message, @Nullable QueueChoice choice, Deadline deadline) throws ClientException {
        return prepared(observed(message), choice, deadline);
    }

    /** The first half of a transaction, which is to have an outcome; otherwise as {@link #single}. */
    Sending half(Message message, Deadline deadline) throws ClientException {
        Message marked = message.withProperty(PropertyKey.TRANSACTION_PREPARED, "true");
        return prepared(observation.prepared(marked), null, deadline);
    }

    private Sending prepared(Message message, @Nullable QueueChoice choice, Deadline deadline) throws ClientException {
        String id = idOf(message);
        MessageQueue queue = QueueChoice.queueOf(choice);
        int held = admit(message, queue, id, deadline);
        return go(message, id, queue, unit(message, choice, id, deadline, held));
    }

    private Sending go(Message message, String id, @Nullable MessageQueue queue, SingleSend unit) {
        observation.of(message, id, queue, unit.result());
        return new Sending(unit.result(), parts.sender().send(unit));
    }

    /** A message that will be sent by itself, with memory taken for it now. */
    Requests.Parcel packed(Message given, Deadline deadline) throws ClientException {
        Message message = observed(given);
        String id = idOf(message);
        int held = admit(message, null, id, deadline);
        return new Packed(message, id, unit(message, null, id, deadline, held), held);
    }

    /** A unit that waits to be sent. */
    private final class Packed implements Requests.Parcel {
        private final Message message;
        private final String id;
        private final SingleSend unit;
        private final int heldBytes;
        private final AtomicBoolean ended = new AtomicBoolean();

        Packed(Message message, String id, SingleSend unit, int heldBytes) {
            this.message = message;
            this.id = id;
            this.unit = unit;
            this.heldBytes = heldBytes;
        }

        @Override
        public Optional<Sending> send() {
            return ended.compareAndSet(false, true) ? Optional.of(go(message, id, null, unit)) : Optional.empty();
        }

        @Override
        public void drop() {
            if (ended.compareAndSet(false, true)) {
                parts.memory().give(1, heldBytes);
            }
        }
    }

    private SingleSend unit(Message message, @Nullable QueueChoice choice, String id, Deadline deadline, int held)
            throws ClientException {
        return SingleSend.holding(
                held, parts, message, id, choice, deadline, () -> parts.memory().give(1, held));
    }

    /**
     * The message as it is sent, as observers want it: on the thread of the caller, whose context it takes along. One that was read may
     * say that it was a half, for a broker leaves that on it; sent again so it would be a half once more, which nobody commits and nobody
     * reads.
     */
    Message observed(Message given) {
        return observation.prepared(given.withoutProperty(PropertyKey.TRANSACTION_PREPARED));
    }

    /** A message for a lane; a lane is made only for topics that passed the checks. */
    CompletableFuture<SendResult> queued(Message given, @Nullable MessageQueue queue) {
        return queuedAs(observed(given), queue);
    }

    /** As {@link #queued}, for a message that observers have seen. */
    CompletableFuture<SendResult> queuedAs(Message message, @Nullable MessageQueue queue) {
        boolean isBatchable = isBatchable(message);
        if (!isBatchable && queue == null) {
            return started(() -> prepared(message, null, parts.deadline()));
        }
        long remainingMs = parts.config().sendTimeoutMs(); // the deadline of a lane's batch begins when the batch does
        try {
            admission.requireRunning(message.topic(), remainingMs);
            checks.content(message, remainingMs);
            SendLane lane = lane(message, queue);
            count(message);
            String id = idOf(message);
            int held = BatchBuffer.maxEncodedBytes(message, id);
            admission.takeMemory(1, held, message.topic(), null);
            while (true) {
                CompletableFuture<SendResult> result =
                        isBatchable ? lane.add(message, id, held) : lane.addAlone(message, id, held);
                if (result != null) {
                    observation.of(message, id, queue, result);
                    return result;
                }
                lane = lane(message, queue);
            }
        } catch (ClientException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private boolean isBatchable(Message message) {
        return parts.config().batching().enabled()
                && message.body().length < parts.config().compression().fromBytes()
                && message.body().length < parts.config().batching().maxBytes()
                && MessageChecks.isBatchable(message);
    }

    private SendLane lane(Message message, @Nullable MessageQueue queue) throws ClientException {
        SendLane known = lanes.known(message.topic(), queue);
        if (known != null) {
            return known;
        }
        checks.topic(message.topic(), parts.config().sendTimeoutMs());
        checks.queue(message.topic(), queue, parts.config().sendTimeoutMs());
        return lanes.of(message.topic(), queue);
    }

    Sending explicitBatch(List<Message> given, @Nullable MessageQueue queue) throws ClientException {
        Deadline deadline = parts.deadline();
        List<Message> messages = given.stream().map(this::observed).toList();
        String topic = messages.isEmpty() ? FailureSite.NONE : messages.get(0).topic();
        admission.requireRunning(topic, deadline.remainingMs());
        checks.batch(messages, deadline.remainingMs());
        checks.queue(topic, queue, deadline.remainingMs());
        return new ExplicitBatch(parts, ids, observation)
                .send(messages, new ExplicitBatch.Address(queue, deadline), checks, admission::takeMemory);
    }

    void oneway(Message given, @Nullable MessageQueue queue) throws ClientException {
        Deadline deadline = parts.deadline();
        Message message = observed(given);
        String id = idOf(message);
        int held = admit(message, queue, id, deadline);
        SingleSend unit = unit(message, QueueChoice.ofNullable(queue), id, deadline, held);
        CompletableFuture<Void> left = parts.sender().sendOneway(unit);
        Completion.on(left, (ignored, failure) -> parts.memory().give(1, held));
        if (left.isCompletedExceptionally()) {
            Failures.await(left, "one-way send", () -> FailureSite.untried(message.topic(), deadline.remainingMs()));
        }
    }
}
