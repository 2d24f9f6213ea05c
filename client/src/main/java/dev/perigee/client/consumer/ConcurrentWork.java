package dev.perigee.client.consumer;

import dev.perigee.client.error.Completion;
import dev.perigee.client.listener.Outcome;
import dev.perigee.client.queue.ProcessQueue;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.message.MessageQueue;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feeds a concurrent listener. A failed message goes back to the broker; if the broker does not take it, it stays here and
 * is tried again after a pause, so it is never lost. Broadcasting consumers drop failed messages, as documented.
 */
@OwnedBy("client loop")
final class ConcurrentWork implements PushWork {
    private static final Logger LOG = LoggerFactory.getLogger(ConcurrentWork.class);

    /** What the feeding of this consumer's listener needs. */
    record Parts(PushAssignments owner, MessageModel model, FailedMessages failed, ConsumeTimeouts timeouts) {}

    private final Parts parts;
    private final PushAssignments owner;
    private final ClientLoop loop;
    private final ConcurrentCalls calls;
    /** Queues of which messages were finished since the last step. */
    private final Set<QueuePuller> touched = new LinkedHashSet<>();

    ConcurrentWork(Parts parts, ConcurrentCalls.Parts calls) {
        this.parts = parts;
        this.owner = parts.owner;
        this.loop = calls.loop();
        this.calls = new ConcurrentCalls(calls, this::ended, this::step);
        long periodMs = parts.timeouts.periodMs();
        loop.every(periodMs, periodMs, () -> {
            settle();
            parts.timeouts.look();
        });
    }

    @Override
    public CompletableFuture<Set<MessageQueue>> admit(Set<MessageQueue> queues) {
        return CompletableFuture.completedFuture(queues);
    }

    @Override
    public void abandoned(MessageQueue queue) {}

    @Override
    public void arrived(QueuePuller from, List<ProcessQueue.Slot> slots) {
        calls.add(new MessageRun(from, slots));
    }

    @Override
    public void settle() {
        calls.settle();
    }

    private void ended(RunningBatch batch) {
        QueuePuller from = batch.from();
        if (!owner.owns(from) || batch.isVoid()) {
            return;
        }
        Outcome outcome = batch.outcome();
        int finished = outcome.finished();
        if (finished < batch.size() && parts.model == MessageModel.BROADCASTING) {
            LOG.warn("event=broadcast_message_dropped queue={} messages={}", from.queue(), batch.size() - finished);
            finished = batch.size();
        }
        for (int i = 0; i < finished; i++) {
            from.finish(batch.slot(i));
        }
        if (finished > 0) {
            touched.add(from);
        }
        for (int i = finished; i < batch.size(); i++) {
            giveBack(from, batch.slot(i), outcome.retryDelayLevel());
        }
    }

    /** One commit and one decision about pulling for all that was finished. */
    private void step() {
        for (QueuePuller from : touched) {
            owner.advance(from);
            from.finished();
        }
        touched.clear();
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
                        from.finish(slot);
                        owner.advance(from);
                        from.finished();
                    } else {
                        loop.after(ConcurrentCalls.LOCAL_RETRY_MS, () -> tryAgain(from, slot));
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
            calls.add(new MessageRun(from, List.of(slot)));
        }
    }

    @Override
    public void moved(QueuePuller from) {
        calls.forget(from);
    }

    @Override
    public void dropped(QueuePuller queue, Release release) {
        calls.forget(queue);
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
