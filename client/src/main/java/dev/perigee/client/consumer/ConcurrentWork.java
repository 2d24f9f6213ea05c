package dev.perigee.client.consumer;

import dev.perigee.client.error.Completion;
import dev.perigee.client.listener.ListenerRun;
import dev.perigee.client.listener.Outcome;
import dev.perigee.client.queue.ProcessQueue;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feeds a concurrent listener. A failed message goes back to the broker; if the broker does not take it, it stays here and
 * is tried again after a pause, so it is never lost. Broadcasting consumers drop failed messages, as documented.
 */
@OwnedBy("client loop")
final class ConcurrentWork implements PushWork {
    /** The pause before a message the broker did not take back, or a call no thread took, is tried again. */
    static final long LOCAL_RETRY_MS = 5_000;

    private static final Logger LOG = LoggerFactory.getLogger(ConcurrentWork.class);

    /** What the feeding of this consumer's listener needs. */
    record Parts(
            PushAssignments owner,
            int batchSize,
            MessageModel model,
            ListenerRun listener,
            FailedMessages failed,
            ConsumeTimeouts timeouts,
            Executor threads,
            ClientLoop loop) {}

    private final Parts parts;
    private final PushAssignments owner;
    private final ClientLoop loop;

    ConcurrentWork(Parts parts) {
        this.parts = parts;
        this.owner = parts.owner;
        this.loop = parts.loop;
    }

    @Override
    public CompletableFuture<Set<MessageQueue>> admit(Set<MessageQueue> queues) {
        return CompletableFuture.completedFuture(queues);
    }

    @Override
    public void abandoned(MessageQueue queue) {}

    @Override
    public void arrived(QueuePuller from, List<ProcessQueue.Slot> slots) {
        for (int i = 0; i < slots.size(); i += parts.batchSize) {
            submit(from, slots.subList(i, Math.min(slots.size(), i + parts.batchSize)));
        }
    }

    private void submit(QueuePuller from, List<ProcessQueue.Slot> slots) {
        RunningBatch batch = new RunningBatch(from, slots);
        List<MessageExt> messages = slots.stream()
                .map(slot -> ListenerRun.withOriginalTopic(slot.message()))
                .toList();
        submit(batch, messages);
    }

    private void submit(RunningBatch batch, List<MessageExt> messages) {
        try {
            parts.threads.execute(() -> run(batch, messages));
        } catch (RuntimeException
                | Error e) { // the user's executor may throw anything; the messages must not be forgotten
            if (batch.hasBegun()) {
                LOG.warn("event=listener_call_failed queue={}", batch.from().queue(), e);
                return;
            }
            LOG.warn(
                    "event=listener_executor_refused queue={} messages={} againMs={} reason=\"{}\"",
                    batch.from().queue(),
                    messages.size(),
                    LOCAL_RETRY_MS,
                    e.toString());
            loop.after(LOCAL_RETRY_MS, () -> {
                if (batch.isWanted() && owner.owns(batch.from())) {
                    submit(batch, messages);
                }
            });
        }
    }

    /** On a listener thread. */
    private void run(RunningBatch batch, List<MessageExt> messages) {
        parts.listener.calls().begun();
        try {
            if (!batch.isWanted()) {
                return; // somebody else consumes this queue now, or it goes on from another position
            }
            parts.timeouts.begun(batch);
            parts.listener.run(batch.from().queue(), messages, outcome -> {
                parts.timeouts.ended(batch);
                loop.execute(() -> ended(batch, outcome));
            });
        } finally {
            parts.listener.calls().ended();
        }
    }

    private void ended(RunningBatch batch, Outcome outcome) {
        QueuePuller from = batch.from();
        if (!owner.owns(from) || batch.isVoid()) {
            return;
        }
        List<ProcessQueue.Slot> done = batch.slots().subList(0, outcome.finished());
        List<ProcessQueue.Slot> failed =
                batch.slots().subList(outcome.finished(), batch.slots().size());
        if (!failed.isEmpty() && parts.model == MessageModel.BROADCASTING) {
            LOG.warn("event=broadcast_message_dropped queue={} messages={}", from.queue(), failed.size());
            done = batch.slots();
            failed = List.of();
        }
        if (!done.isEmpty()) {
            finish(from, done);
        }
        failed.forEach(slot -> giveBack(from, slot, outcome.retryDelayLevel()));
    }

    private void finish(QueuePuller from, List<ProcessQueue.Slot> slots) {
        from.finish(slots);
        owner.advance(from);
    }

    private void giveBack(QueuePuller from, ProcessQueue.Slot slot, int delayLevel) {
        if (isGone(from, slot)) {
            return;
        }
        Completion.on(
                parts.failed.sendBack(slot.message(), delayLevel),
                (taken, never) -> loop.execute(() -> {
                    if (isGone(from, slot)) {
                        return;
                    }
                    if (taken) {
                        finish(from, List.of(slot));
                    } else {
                        loop.after(LOCAL_RETRY_MS, () -> tryAgain(from, slot));
                    }
                }));
    }

    /** Whether a message is no more this consumer's to try again: the queue was given up or moved, or it is finished. */
    private boolean isGone(QueuePuller from, ProcessQueue.Slot slot) {
        return !owner.owns(from) || !from.holds(slot) || slot.isFinished();
    }

    private void tryAgain(QueuePuller from, ProcessQueue.Slot slot) {
        if (!isGone(from, slot) && !from.isDropped()) {
            slot.countRetry();
            submit(from, List.of(slot));
        }
    }

    @Override
    public void moved(QueuePuller from) {}

    @Override
    public void dropped(QueuePuller queue, Release release) {
        Completion.unawaited(release.commit());
    }

    @Override
    public boolean isOrderly() {
        return false;
    }

    @Override
    public long lockedAtMs(MessageQueue queue) {
        return 0;
    }

    @Override
    public CompletableFuture<Void> leave() {
        return CompletableFuture.completedFuture(null);
    }
}
